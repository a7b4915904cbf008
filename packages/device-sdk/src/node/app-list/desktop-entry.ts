import { splitCommand } from './split-command.ts'

/** What a `.desktop` file says, by the Desktop Entry Specification 1.5. */
export interface DesktopEntry {
  readonly name: string
  /** The names in other languages. */
  readonly otherNames: readonly string[]
  /** The command line, split into arguments, field codes such as `%U` left out. */
  readonly command: readonly string[]
  /** A program without which the application is not installed. */
  readonly tryExec?: string
  /** Deleted by the user, or not meant for menus: it hides an entry of the same id in a later folder. */
  readonly hidden: boolean
}

/** Reads the text of a `.desktop` file; `undefined` when it does not describe an application. */
export function parseDesktopEntry(text: string): DesktopEntry | undefined {
  const values = readMainGroup(text)
  const hidden = values.get('Hidden') === 'true' || values.get('NoDisplay') === 'true'
  const name = unescapeValue(values.get('Name') ?? '')
  if (!hidden && (values.get('Type') !== 'Application' || name === '')) return undefined
  const otherNames = [...values]
    .filter(([key]) => key.startsWith('Name['))
    .map(([, value]) => unescapeValue(value))
  const tryExec = unescapeValue(values.get('TryExec') ?? '')
  const command = splitExec(unescapeValue(values.get('Exec') ?? ''))
  return { name, otherNames, command, hidden, ...(tryExec === '' ? {} : { tryExec }) }
}

// Other groups, such as `[Desktop Action new-window]`, have names of their own.
function readMainGroup(text: string): Map<string, string> {
  const values = new Map<string, string>()
  let inMainGroup = false
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (line.startsWith('[')) inMainGroup = line.trim() === '[Desktop Entry]'
    const at = line.indexOf('=')
    if (!inMainGroup || line.startsWith('#') || at <= 0) continue
    const key = line.slice(0, at).trim()
    if (!values.has(key)) values.set(key, line.slice(at + 1).trim())
  }
  return values
}

const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' }

function unescapeValue(value: string): string {
  return value.replaceAll(/\\([sntr\\])/g, (_, letter: string) => escapes[letter] ?? letter)
}

function splitExec(exec: string): string[] {
  return splitCommand(exec)
    .filter((word) => !/^%[a-zA-Z]$/.test(word))
    .map((word) => word.replaceAll('%%', '%'))
}
