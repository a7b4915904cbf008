import { createHash } from 'node:crypto'
import type { RunFile } from '@homeward/contract/agent-platform'
import { toPlainFileName } from '@homeward/kit'
import type { FileReference } from '../ports/file.ts'
import type { FileContent } from '../store/ports/file-store.ts'
import { toMediaType } from './media-type.ts'

/** Files that are about to be stored. */
export interface NewFiles {
  readonly files: readonly FileReference[]
  readonly contents: readonly FileContent[]
}

/** A file whose bytes are here. */
export interface GivenFile {
  /** With or without a path, which is dropped. @default `file-1.png` and so on */
  readonly name?: string | undefined
  /** @default what the bytes look like */
  readonly media_type?: string | undefined
  readonly data: Uint8Array
}

/**
 * Gives files their ids, plain names and media types.
 *
 * @param firstNumber In the name of the first file, if it has none. @default 1
 */
export async function toNewFiles(
  given: readonly GivenFile[],
  createId: () => string,
  firstNumber = 1,
): Promise<NewFiles> {
  const files: FileReference[] = []
  const contents = new Map<string, FileContent>()
  for (const [index, { name, media_type, data }] of given.entries()) {
    const type = await toMediaType(media_type, data, name ?? '')
    const sha256 = createHash('sha256').update(data).digest('hex')
    files.push({
      id: createId(),
      name: name ? toPlainFileName(name) : `file-${index + firstNumber}${toEnding(type)}`,
      media_type: type,
      bytes: data.length,
      sha256,
    })
    contents.set(sha256, { sha256, content: data })
  }
  return { files, contents: [...contents.values()] }
}

/** A reference, without what else a part of a message holds. */
export const toFileReference = ({ id, name, media_type, bytes, sha256 }: FileReference): FileReference => ({
  id,
  name,
  media_type,
  bytes,
  sha256,
})

/**
 * Reads the files of a request.
 *
 * @param readPath Bytes of a file in the agent's workspace.
 */
export async function toGivenFiles(
  files: readonly RunFile[],
  readPath: (path: string) => Promise<Uint8Array>,
): Promise<GivenFile[]> {
  const given: GivenFile[] = []
  for (const { name, media_type, data, path } of files) {
    if (data !== undefined) given.push({ name, media_type, data })
    else if (path !== undefined) given.push({ name: name ?? path, media_type, data: await readPath(path) })
  }
  return given
}

/** Endings that differ from the name of the type. */
const endings: Readonly<Record<string, string>> = {
  'text/plain': '.txt',
  'text/markdown': '.md',
  'audio/mpeg': '.mp3',
  'image/svg+xml': '.svg',
}

/** `.png` for `image/png`; nothing where the type has no short name. */
function toEnding(mediaType: string): string {
  const known = endings[mediaType]
  if (known !== undefined) return known
  const [, name] = /\/([a-z0-9]{1,5})$/.exec(mediaType) ?? []
  return name === undefined ? '' : `.${name}`
}
