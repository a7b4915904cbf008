import { checkValue } from './check-value.ts'

/** One argument of `ExecStart=`: quoted, with nothing in it that systemd expands. */
export function systemdArgument(text: string): string {
  return `"${escapeQuoted(checkValue('an argument', text)).replaceAll('$', '$$$$')}"`
}

/** The program of `ExecStart=`, in which systemd does not undo `$$`. */
export function systemdProgram(path: string): string {
  return `"${escapeQuoted(checkValue('the program', path, /\$/))}"`
}

/** One path of `ReadOnlyPaths=` or `ReadWritePaths=`; a path that is missing stops nothing. */
export function systemdPath(path: string): string {
  return `"-${escapeQuoted(checkValue('a folder', path))}"`
}

/** One path of `BindPaths=` or `BindReadOnlyPaths=`, which systemd unquotes twice, the second time between colons. */
export function systemdBindPath(path: string): string {
  const escaped = checkValue('a folder', path).replaceAll(/[\\"':]/g, String.raw`\$&`)
  return `"-${escaped.replaceAll('%', '%%')}"`
}

const escapeQuoted = (text: string) => text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('%', '%%')
