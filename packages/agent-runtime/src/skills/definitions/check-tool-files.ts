import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, posix, relative, sep } from 'node:path'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { codeOptionsOf, isInterpreter, shells, toProgramName } from './interpreters.ts'
import type { ExecToolDefinition, ToolDefinition } from './tool-definition.ts'

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
    return paths.has(path) ? { path } : { problem: 'does not exist' }
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
type ScriptProblem = 'does not exist' | 'is not a file' | typeof outside
/** Looks a script up by its path inside the skill. */
type FindScript = (script: string) => Promise<{ readonly path: string } | { readonly problem: ScriptProblem }>

const outside = "must lie inside the skill's folder"

async function findScript(script: string, root: string): ReturnType<FindScript> {
  const path = await realpath(join(root, script)).catch(() => undefined)
  if (path === undefined) return { problem: 'does not exist' }
  if (path !== root && !isInside(path, root)) return { problem: outside }
  return (await stat(path)).isFile() ? { path } : { problem: 'is not a file' }
}

async function resolveScripts({ id, command, args }: CommandOf, find: FindScript): Promise<string[]> {
  refuseShellCode(id, command, args)
  const [program = '', ...rest] = command
  const words: Word[] = [isPath(program) ? await scriptWord(id, program, find) : { text: program }]
  for (const element of rest) words.push(await resolveElement(id, element, find))
  refuseForeignCode(id, command, words)
  if (!words.some(({ isFile }) => isFile)) refuseScriptOfArgs(id, command, args)
  return words.map(({ text }) => text)
}

/** An element of a command; `isFile` when it is, or holds, the path of one of the skill's files. */
interface Word {
  readonly text: string
  readonly isFile?: true
}

async function resolveElement(id: string, element: string, find: FindScript): Promise<Word> {
  if (element.includes('{{'))
    throw invalid(id, '"command" must not contain a template. Move the template to "args"')
  if (element.startsWith('-')) return await resolveOption(id, element, find)
  if (isPath(element)) return await scriptWord(id, element, find)
  return await fileOrWord(id, element, find)
}

/** An option may carry a file too: `--import=setup.mjs`. */
async function resolveOption(id: string, option: string, find: FindScript): Promise<Word> {
  const at = option.indexOf('=') + 1
  const value = option.slice(at)
  if (at === 0) return { text: option }
  if (leaves(value)) throw invalid(id, `"${option}" points outside the skill's folder`)
  if (/^https?:\/\//i.test(value)) return { text: option }
  const word = /^\.[\\/]/.test(value) ? await scriptWord(id, value, find) : await fileOrWord(id, value, find)
  return { ...word, text: option.slice(0, at) + word.text }
}

async function fileOrWord(id: string, text: string, find: FindScript): Promise<Word> {
  const found = await find(text)
  if ('path' in found) return { text: found.path, isFile: true }
  if (found.problem === outside || isScriptName(text))
    throw invalid(id, `its script "${text}" ${found.problem}`)
  return { text }
}

async function scriptWord(id: string, script: string, find: FindScript): Promise<Word> {
  const found = leaves(script) ? { problem: outside } : await find(script)
  if ('path' in found) return { text: found.path, isFile: true }
  throw invalid(id, `its script "${script}" ${found.problem}`)
}

/** What an option of an interpreter loads comes from the skill: it would be looked for from the workspace on. */
function refuseForeignCode(id: string, command: readonly string[], words: readonly Word[]): void {
  const start = command.findIndex((element) => codeOptionsOf(element) !== undefined)
  const options = start < 0 ? undefined : codeOptionsOf(command[start] ?? '')
  for (let at = start + 1; options && at < command.length; at += 1) {
    const element = command[at] ?? ''
    if (!element.startsWith('-') && words[at]?.isFile) return // its script: what follows is for that
    const [name = ''] = element.split('=', 1)
    if (!options.has(name)) continue
    if (name === element) at += 1
    if (words[at]?.isFile) continue
    throw invalid(id, `its option ${name} must load a file of the skill`)
  }
}

/** Without a script in the command the interpreter takes its first argument for it: a file of the workspace. */
function refuseScriptOfArgs(id: string, command: readonly string[], args: readonly string[]): void {
  const program = command.findLast((element) => !element.startsWith('-') && element !== 'run')
  const script = args.find((arg) => !arg.startsWith('-'))
  if (program === undefined || script === undefined || script.includes('{{')) return
  if (!isInterpreter(program) || !isScriptName(script)) return
  throw invalid(id, `its script "${script}" must be in "command", after the program`)
}

/** Code in an argument is a shell by another name: what a template puts there would be read as commands. */
function refuseShellCode(id: string, command: readonly string[], args: readonly string[]): void {
  const shell = command.map(toProgramName).find((name) => shells.has(name))
  const hasCode = [...command, ...args].some(
    (element) => /^-[a-z]*c[a-z]*$/i.test(element) || /^(\/c|\/k|-command|-encodedcommand)$/i.test(element),
  )
  if (shell !== undefined && hasCode)
    throw invalid(id, `its command passes code to ${shell}. Put the code into a script`)
}

/** What means a script: where it is missing, a program would run what an agent wrote into its workspace. */
function isScriptName(text: string): boolean {
  return /^[^*?,]*[^*?,\\/]\.(?:[cm]?[jt]s|py|sh|bash|rb|pl|php|lua|r|ps1)$/i.test(text)
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
