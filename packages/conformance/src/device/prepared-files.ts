import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folders that an agent works in. */
export interface PreparedFiles {
  /** What the agent may search and upload. */
  readonly root: string
  /** What it must never touch. */
  readonly outside: string
  /** Where the agent may keep its own state. */
  readonly state: string
}

/** What the file outside of the root holds. No request may ever hold it. */
export const secretText = 'this text lies outside of the shared folder'

/** Contents of the prepared files, by path in the root. */
export const contents: Readonly<Record<string, Buffer>> = {
  'alpha-notes.txt': Buffer.from('first line\nsecond line\n'),
  'sub/Beta Report.txt': Buffer.from('figures of the year\n'),
  'sub/deep/gamma.bin': binary(),
  'empty-file.txt': Buffer.alloc(0),
  'large-sample.bin': pattern(300_000),
}

/** Everything that breaks a careless form: zero bytes, line ends, and what looks like a boundary. */
function binary(): Buffer {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  return Buffer.concat([all, Buffer.from('\r\n--boundary--\r\n--\r\n\r\n--'), all, Buffer.from('\r\n')])
}

function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  let state = 12_345
  for (let at = 0; at < length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    bytes[at] = state >> 16
  }
  return bytes
}

/** Writes the files below `folder`. */
export async function prepareFiles(folder: string): Promise<PreparedFiles> {
  const files = { root: join(folder, 'root'), outside: join(folder, 'outside'), state: join(folder, 'state') }
  await mkdir(join(files.root, 'sub/deep'), { recursive: true })
  await mkdir(files.outside, { recursive: true })
  await mkdir(files.state, { recursive: true })
  for (const [path, content] of Object.entries(contents)) await writeFile(join(files.root, path), content)
  await writeFile(join(files.outside, 'secret.txt'), secretText)
  await symlink(files.outside, join(files.root, 'link-to-folder'), 'dir')
  await symlink(join(files.outside, 'secret.txt'), join(files.root, 'link-to-file.txt'), 'file')
  await symlink(files.root, join(files.root, 'sub/link-to-root'), 'dir')
  return files
}

/** Removes what {@link prepareFiles} wrote. */
export const removeFiles = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 })
