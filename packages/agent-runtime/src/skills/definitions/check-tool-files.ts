import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, posix, relative, sep } from 'node:path'
import { RuntimeError } from '../../runtime-error.ts'
import type { ExecToolDefinition, ToolDefinition } from './tool-definition.ts'

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh'])

/**
 * Checks that the scripts of exec tools are files inside the skill's folder, by their real paths: a link that leaves
 * it counts as outside.
 *
 * @param folder Absolute path of the skill's folder.
 * @throws {RuntimeError} `invalid_skill` with the reason.
 */
export async function checkToolFiles(definitions: readonly ToolDefinition[], folder: string): Promise<void> {
  const root = await realpath(folder)
  for (const definition of definitions) {
    if (definition.type === 'exec') await resolveCommand(definition, root)
  }
}

/** The same for a skill that lies in no folder yet. @param paths Those of its files, with `/`. */
export async function checkOfferedTools(
  definitions: readonly ToolDefinition[],
  paths: ReadonlySet<string>,
): Promise<void> {
  const find: FindScript = async (script) => {
    const path = posix.normalize(script)
    return paths.has(path) ? { path } : { problem: 'is not there' }
  }
  for (const definition of definitions) {
    if (definition.type === 'exec') await resolveScripts(definition, find)
  }
}

/**
 * A tool's command with the absolute, real paths of its scripts. Done again before each call: the folder may have
 * changed.
 *
 * @throws {RuntimeError} `invalid_skill` with the reason.
 */
export async function resolveCommand(definition: CommandOf, folder: string): Promise<string[]> {
  const root = await realpath(folder)
  return await resolveScripts(definition, (script) => findScript(script, root))
}

type CommandOf = Pick<ExecToolDefinition, 'id' | 'command' | 'args'>
type ScriptProblem = 'is not there' | 'is no file' | typeof outside
/** Looks a script up by its path inside the skill. */
type FindScript = (script: string) => Promise<{ readonly path: string } | { readonly problem: ScriptProblem }>

/** A word that means a script: where it is missing, a program would run what an agent wrote into its workspace. */
const scriptName = /\.(?:[cm]?[jt]s|py|sh|bash|rb|pl|php|lua|r|ps1)$/i

const outside = "must lie inside the skill's folder"

async function findScript(script: string, root: string): ReturnType<FindScript> {
  const path = await realpath(join(root, script)).catch(() => undefined)
  if (path === undefined) return { problem: 'is not there' }
  if (path !== root && !isInside(path, root)) return { problem: outside }
  return (await stat(path)).isFile() ? { path } : { problem: 'is no file' }
}

async function resolveScripts({ id, command, args }: CommandOf, find: FindScript): Promise<string[]> {
  refuseShellCode(id, command, args)
  const [program = '', ...rest] = command
  const resolved = [isPath(program) ? await scriptPath(id, program, find) : program]
  for (const element of rest) resolved.push(await resolveElement(id, element, find))
  return resolved
}

async function resolveElement(id: string, element: string, find: FindScript): Promise<string> {
  if (element.includes('{{')) throw invalid(id, 'its command holds a template, which belongs in "args"')
  if (element.startsWith('-')) {
    // an option may carry a file too: --import=../../other.js
    const value = element.slice(element.indexOf('=') + 1)
    if (element.includes('=') && leaves(value))
      throw invalid(id, `"${element}" points outside the skill's folder`)
    return element
  }
  if (isPath(element)) return await scriptPath(id, element, find)
  // a word, or the name of a file
  const found = await find(element)
  if ('path' in found) return found.path
  if (found.problem === outside || scriptName.test(element))
    throw invalid(id, `its script "${element}" ${found.problem}`)
  return element
}

async function scriptPath(id: string, script: string, find: FindScript): Promise<string> {
  const found = leaves(script) ? { problem: outside } : await find(script)
  if ('path' in found) return found.path
  throw invalid(id, `its script "${script}" ${found.problem}`)
}

/** Code in an argument is a shell by another name: what a template puts there would be read as commands. */
function refuseShellCode(id: string, command: readonly string[], args: readonly string[]): void {
  const shell = command.map(toProgramName).find((name) => shells.has(name))
  const hasCode = [...command, ...args].some(
    (element) => /^-[a-z]*c[a-z]*$/i.test(element) || /^(\/c|\/k|-command|-encodedcommand)$/i.test(element),
  )
  if (shell !== undefined && hasCode)
    throw invalid(id, `its command hands code to ${shell}; put it in a script`)
}

/** Also of one that another program starts: `env bash`. */
function toProgramName(element: string): string {
  return basename(element)
    .toLowerCase()
    .replace(/\.exe$/, '')
}

function isPath(text: string): boolean {
  return /[\\/]/.test(text) || text === '.' || text === '..'
}

function leaves(text: string): boolean {
  return isAbsolute(text) || /^([A-Za-z]:|[\\/~])/.test(text) || text.split(/[\\/]/).includes('..')
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function invalid(id: string, reason: string): RuntimeError {
  return new RuntimeError(
    'invalid_skill',
    `Reading tool "${id}" failed: ${reason}. Correct the skill's tools.yaml.`,
  )
}
