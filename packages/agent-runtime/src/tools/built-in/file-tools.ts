import { maxFileBytes, type Json } from '@homeward/contract/agent-platform'
import { toMediaType } from '../../files/media-type.ts'
import type { Tool } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import type { WorkspaceOptions } from '../workspace/workspace.ts'
import { countBy, firstRows } from '../first-rows.ts'
import { textOf, wholeOf } from './read-arguments.ts'

const maxListed = 1000

/** What the tools for files may do. */
interface FileToolOptions {
  readonly workspace: WorkspaceOptions
  /** Largest piece of a file that is read at once, in bytes. */
  readonly maxResultBytes: number
}

/** Lists, reads and writes files of the agent's workspace, and of no other folder. */
export function createFileTools(options: FileToolOptions): Tool[] {
  return [createListFiles(options), createReadFile(options), createWriteFile(options)]
}

const pathProperty = {
  type: 'string',
  maxLength: 4096,
  description: 'Relative path in the workspace, with "/".',
}

function createListFiles({ workspace }: FileToolOptions): Tool {
  return {
    id: 'list_files',
    description: 'Lists the files of the workspace or of a folder in it.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { ...pathProperty, description: 'Folder. Default: the workspace.' },
        recursive: { type: 'boolean', description: 'Whether folders in it are listed too. Default false.' },
        offset: { type: 'integer', minimum: 0, description: 'Entry to begin at. Default 0.' },
      },
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    // names are content too: whoever made the file chose its name
    returnsUntrustedContent: (result) => JSON.stringify(result) !== '{"files":[]}',
    async execute(args, context) {
      const path = textOf(args, 'path', '')
      const found = await openWorkspace(context.workspace, workspace).list(
        path,
        args['recursive'] === true,
        maxListed + 1,
      )
      const all = found.slice(0, maxListed).map((entry): Json => ({ ...entry }))
      const { rows: files, next_offset } = firstRows(all, wholeOf(args, 'offset', 0))
      const isCut = found.length > maxListed
      if (next_offset === undefined) return isCut ? { files, truncated: true } : { files }
      const narrow =
        'Only the first entries are shown. List one folder with "path", or continue with "offset".'
      const total = isCut ? `more than ${maxListed}` : all.length
      return { total, counts: countBy(all, 'type'), files, truncated: true, next_offset, narrow }
    },
  }
}

function createReadFile({ workspace, maxResultBytes }: FileToolOptions): Tool {
  return {
    id: 'read_file',
    description: `Reads a file of the workspace: text, up to ${maxResultBytes} bytes at once, or a picture, PDF or sound.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: pathProperty,
        offset: { type: 'integer', minimum: 0, description: 'Byte to begin at. Default 0.' },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effects: 'read',
    idempotent: true,
    returnsUntrustedContent: true,
    async execute(args, context) {
      const path = textOf(args, 'path')
      const offset = wholeOf(args, 'offset', 0)
      const folder = openWorkspace(context.workspace, workspace)
      const { bytes, size } = await folder.read(path, offset, maxResultBytes)
      const medium = offset === 0 ? await mediumOf(bytes) : undefined
      if (medium !== undefined) {
        const whole = size > bytes.length ? await folder.read(path, 0, maxFileBytes) : { bytes, size }
        if (whole.size > maxFileBytes) throw tooLarge(path)
        const file = { type: 'file', media_type: medium, data: whole.bytes, name: path } as const
        return { path, size: whole.size, content: [file] }
      }
      const { text, length } = toText(path, bytes, offset + bytes.length < size)
      const next = offset + length
      const result = { path, size, content: text }
      return next < size ? { ...result, truncated: true, next_offset: next } : result
    },
  }
}

function createWriteFile({ workspace }: FileToolOptions): Tool {
  return {
    id: 'write_file',
    description: 'Writes a text file in the workspace; folders on its way are made.',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathProperty,
        content: { type: 'string' },
        append: {
          type: 'boolean',
          description: 'Whether the text goes to the end of the file. Default false.',
        },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    effects: 'write',
    idempotent: false,
    returnsUntrustedContent: false,
    // a write that has begun must not come after the run's end
    settlesOnAbort: true,
    async execute(args, context) {
      const path = textOf(args, 'path')
      const content = Buffer.from(textOf(args, 'content'))
      const mode = args['append'] === true ? 'append' : 'replace'
      await openWorkspace(context.workspace, workspace).write(path, content, mode)
      return { ok: true, path, bytes: content.length }
    },
  }
}

/** Media type of a file that models read as such; undefined for any other. */
async function mediumOf(bytes: Uint8Array): Promise<string | undefined> {
  const type = await toMediaType(undefined, bytes, '')
  return /^(?:image|audio)\/(?!svg)|^application\/pdf$/.test(type) ? type : undefined
}

const tooLarge = (path: string) =>
  new RuntimeError(
    'validation_error',
    `Reading ${JSON.stringify(path)} failed: the file must have at most ${maxFileBytes} bytes. Make the file smaller first.`,
  )

/** Bytes as text, and how many of them: a character that was cut at the end is left for the next piece. */
function toText(path: string, bytes: Uint8Array, isCut: boolean): { text: string; length: number } {
  for (let cut = 0; cut <= (isCut ? Math.min(3, bytes.length - 1) : 0); cut += 1) {
    const length = bytes.length - cut
    try {
      return {
        text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length)),
        length,
      }
    } catch {
      // the cut may lie inside a character
    }
  }
  const text = `Reading ${JSON.stringify(path)} failed: it is not UTF-8 text, or "offset" lies inside a character. Choose another offset.`
  throw new RuntimeError('validation_error', text)
}
