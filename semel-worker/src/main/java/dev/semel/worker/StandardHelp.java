package dev.semel.worker;

import picocli.CommandLine.Command;

/** What the help of every verb has: a mixin for commands, also those that a {@link Verb} brings. */
@Command(
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpAutoWidth = true,
    optionListHeading = "%nOptions:%n",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:good",
      "1:the thing asked about is bad",
      "2:the question could not be asked: wrong usage, unreachable server, no rights, port taken",
      "130, 143:interrupted"
    },
    footerHeading = "%nExample:%n")
public final class StandardHelp {

  /** Made by picocli, or by the command that mixes it in. */
  public StandardHelp() {}
}
