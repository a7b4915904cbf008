import { RuntimeError } from '../../ports/runtime-error.ts'

/** Most names on the way to an entry. */
export const maxDepth = 32
const maxSegmentBytes = 255
const maxBytes = 4096
// what Windows takes for a device, with any extension and spaces in front of it; superscript digits count too
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i

/**
 * Splits a path inside a workspace into the names on its way. The rules are the same on every system, so that a
 * workspace can move: `/` parts the names, and a name is one that every system takes for a plain file.
 *
 * @param purpose What the path is for, as the error says it: `Reading`.
 * @returns the names; none of them for the workspace itself.
 * @throws {RuntimeError} `validation_error` for a path that could lead elsewhere.
 */
export function parseWorkspacePath(path: string, purpose: string): string[] {
  const refuse = (reason: string): never => {
    const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}...` : path)
    const text = `${purpose} ${shown} failed: ${reason}. Use a relative path inside the workspace, such as "notes/plan.md".`
    throw new RuntimeError('validation_error', text)
  }
  if (hasControls(path)) refuse('the path must not contain control characters')
  if (path.includes('\\')) refuse('the path must not contain "\\"')
  if (path.startsWith('/') || /^~(\/|$)/.test(path)) refuse('the path must be relative')
  if (Buffer.byteLength(path) > maxBytes) refuse('the path is too long')
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.length > maxDepth) refuse(`the path must have at most ${maxDepth} parts`)
  for (const name of names) {
    const problem = nameProblem(name)
    if (problem !== undefined) refuse(problem)
  }
  return names
}

function nameProblem(name: string): string | undefined {
  if (name === '..') return 'the path must not contain ".."'
  if (/[:*?"<>|]/.test(name)) return 'the path must not contain : * ? " < > |'
  if (/[. ]$/.test(name)) return 'a name must not end with a dot or a space'
  if (deviceName.test(name)) return `"${name}" is the name of a device on some systems`
  if (Buffer.byteLength(name) > maxSegmentBytes) return 'a name is too long'
  if (!name.isWellFormed()) return 'a name is not valid Unicode'
  return undefined
}

function hasControls(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  return /[\u0000-\u001f\u007f]/.test(text)
}
