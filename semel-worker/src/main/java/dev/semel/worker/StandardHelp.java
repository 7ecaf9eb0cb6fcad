package dev.semel.worker;

import picocli.CommandLine.Command;

/** What the help of every verb has. */
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
final class StandardHelp {}
