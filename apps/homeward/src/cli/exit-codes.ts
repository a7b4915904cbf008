/** What the exit code of `homeward` tells. The guide and `homeward --help` list the same. */
export const exitCodes = {
  /** The command did what it was asked to do. */
  ok: 0,
  /** The command failed, or found a problem. */
  failed: 1,
  /** Unknown command or option, or a value that cannot be used. */
  usage: 2,
  /** The server did not respond. */
  unreachable: 3,
  /** The server rejected the token, or the token lacks a scope. */
  denied: 4,
  /** The run waits for a person to approve a tool call. */
  waiting: 5,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const

/** The text below `homeward --help`. */
export const exitCodeHelp = [
  'Exit codes:',
  '  0    done',
  '  1    failed, or found a problem',
  '  2    wrong use: an unknown command or option, or an invalid value',
  '  3    the server did not respond',
  '  4    the server rejected the token, or the token lacks a scope',
  '  5    the run waits for a person to approve a tool call',
  '  130  ended by Ctrl-C',
].join('\n')
