/**
 * Put before a command of Linux: the kernel ends what it starts when we end, be it by SIGKILL. Nobody would be left who
 * keeps its time.
 */
export const dieWithParent: readonly string[] = ['setpriv', '--pdeathsig', 'KILL', '--']
