import { realpath, stat } from 'node:fs/promises'
import { basename, isAbsolute, join, relative, sep } from 'node:path'
import { RuntimeError } from '../runtime-error.ts'
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

/**
 * A tool's command with the absolute, real paths of its scripts. Done again before each call: the folder may have
 * changed.
 *
 * @throws {RuntimeError} `invalid_skill` with the reason.
 */
export async function resolveCommand(
  { id, command, args }: Pick<ExecToolDefinition, 'id' | 'command' | 'args'>,
  folder: string,
): Promise<string[]> {
  const root = await realpath(folder)
  const [program = '', ...rest] = command
  refuseShellCode(id, program, [...rest, ...args])
  const resolved = [isPath(program) ? await scriptPath(id, program, root) : program]
  for (const element of rest) resolved.push(await resolveElement(id, element, root))
  return resolved
}

async function resolveElement(id: string, element: string, root: string): Promise<string> {
  if (element.includes('{{')) throw invalid(id, 'its command holds a template, which belongs in "args"')
  if (element.startsWith('-')) {
    // an option may carry a file too: --import=../../other.js
    const value = element.slice(element.indexOf('=') + 1)
    if (element.includes('=') && leaves(value))
      throw invalid(id, `"${element}" points outside the skill's folder`)
    return element
  }
  if (isPath(element)) return await scriptPath(id, element, root)
  const isScript = await stat(join(root, element)).then(
    (found) => found.isFile(),
    () => false,
  )
  return isScript ? await scriptPath(id, element, root) : element
}

async function scriptPath(id: string, script: string, root: string): Promise<string> {
  const outside = `its script "${script}" must lie inside the skill's folder`
  if (leaves(script)) throw invalid(id, outside)
  const path = await realpath(join(root, script)).catch(() => undefined)
  if (path === undefined) throw invalid(id, `its script "${script}" is not there`)
  if (!isInside(path, root)) throw invalid(id, outside)
  if (!(await stat(path)).isFile()) throw invalid(id, `its script "${script}" is no file`)
  return path
}

/** Code in an argument is a shell by another name: what a template puts there would be read as commands. */
function refuseShellCode(id: string, program: string, rest: readonly string[]): void {
  const name = basename(program)
    .toLowerCase()
    .replace(/\.exe$/, '')
  const hasCode = rest.some(
    (element) => /^-[a-z]*c[a-z]*$/i.test(element) || /^(\/c|\/k|-command|-encodedcommand)$/i.test(element),
  )
  if (shells.has(name) && hasCode) throw invalid(id, `its command hands code to ${name}; put it in a script`)
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
