import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'

const read = (path: string) => readFileSync(join(workspaceFolder, path), 'utf8')

/** The commands in a text that show what it claims: each as the reader would type it. */
export function commandsOf(text: string): string[] {
  const spans = text.matchAll(/`([^`]*\b(?:npx vitest run|npm run bench --) [^`]*)`/g)
  const commands = [...spans].map(([, command = '']) => command.replaceAll(/\s+/g, ' ').trim())
  return commands.filter((command) => !command.includes('<')) // what the reader is to fill in
}

/** What a command names that is not there: test files, titles of tests, parts of the measurements. */
export function unknownIn(command: string): string[] {
  const [, parts] = /\bbench -- --only (\S+)/.exec(command) ?? []
  if (parts !== undefined) return parts.split(',').filter((part) => !measuredParts().includes(part))
  const [run = '', title] = command.split(' -t ')
  const [, paths = ''] = run.split('vitest run ')
  const named = paths.split(' ').filter((path) => path !== '' && !path.startsWith('-'))
  if (named.length === 0) return [command]
  const missing = named.filter((path) => testFilesOf(path).length === 0)
  if (title === undefined || missing.length > 0) return missing
  const wanted = title.replaceAll(/^['"]|['"]$/g, '')
  const hasIt = (file: string) => titlesOf(file).some((each) => each.includes(wanted))
  return named.filter((path) => !testFilesOf(path).some(hasIt)).map((path) => `${wanted} in ${path}`)
}

/** Cells of the column "What shows it" of every table, with their rows. */
export function rowsToShow(text: string): { readonly row: string; readonly shownBy: string }[] {
  const rows: { readonly row: string; readonly shownBy: string }[] = []
  let column: number | undefined
  for (const line of text.split('\n')) {
    const cells = line.startsWith('|')
      ? line
          .slice(1, -1)
          .split(' | ')
          .map((cell) => cell.trim())
      : []
    if (cells.length === 0) column = undefined
    else if (column !== undefined && !/^[|: -]+$/.test(line))
      rows.push({ row: cells[0] ?? '', shownBy: cells[column] ?? '' })
    if (cells.includes('What shows it')) column = cells.indexOf('What shows it')
  }
  return rows
}

function measuredParts(): string[] {
  return [...read('bench/parts.ts').matchAll(/^ {2}'?([\w-]+)'?: \(isQuick\)/gm)].map(([, part = '']) => part)
}

function testFilesOf(path: string): string[] {
  if (path.endsWith('.test.ts')) return existsSync(join(workspaceFolder, path)) ? [path] : []
  return globSync(`${path}/**/*.test.ts`, { cwd: workspaceFolder })
}

/** Titles of a test file and of the kits that it runs. */
function titlesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const source = read(file)
  const kits = [
    ...source.matchAll(/from '(\.[^']*(?:conformance|-cases)[^']*\.ts|\.\.\/testing\/index\.ts)'/g),
  ].map(([, path = '']) => join(dirname(file), path))
  const titles = source.matchAll(
    /(?:\b(?:it|test|describe|\w+Case)(?:\.\w+)*\(|\)\(|\bname:)\s*(['"`])((?:(?!\1).)+)\1/g,
  )
  return [...[...titles].map(([, , title = '']) => title), ...kits.flatMap((kit) => titlesOf(kit, seen))]
}
