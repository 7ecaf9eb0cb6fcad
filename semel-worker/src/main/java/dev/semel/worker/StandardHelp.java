package dev.semel.worker;

import picocli.CommandLine.Command;

/** What the help of every verb has: a mixin for commands, also those that a {@link Verb} brings. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    parameterListHeading = "%nArguments:%n",
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:good",
      "1:the thing asked about is bad",
      StandardHelp.NOT_ASKED,
      StandardHelp.INTERRUPTED
    },
    footerHeading = "%nExample:%n")
public final class StandardHelp {

  static final String NOT_ASKED =
      "2:the question could not be asked: wrong usage, unreachable server, no rights, port taken";

  static final String INTERRUPTED = "130, 143:interrupted";

  /** Made by picocli, or by the command that mixes it in. */
  public StandardHelp() {}
}
