import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '@homeward/kit/node'
import * as z from 'zod'
import { CliError } from '../cli-error.ts'

const Pairing = z.object({
  cloudUrl: z.string().regex(/^https?:\/\//),
  name: z.string(),
  /** Undefined until a user has let the device in. */
  deviceId: z.string().optional(),
  pairedAt: z.string().optional(),
})

/** Which cloud this device belongs to. The key is in a file of its own, and belongs to this cloud alone. */
export type Pairing = z.infer<typeof Pairing>

const fileOf = (folder: string) => join(folder, 'pairing.json')

/** Reads the pairing. Undefined if there is none. @throws {CliError} if the file cannot be read or is damaged. */
export async function readPairing(folder: string): Promise<Pairing | undefined> {
  const text = await readState(fileOf(folder))
  return text === undefined ? undefined : parseState(Pairing, text, fileOf(folder))
}

/** Writes the pairing, with mode 0600. The folder has to be there. */
export async function writePairing(folder: string, pairing: Pairing): Promise<void> {
  await replaceFile(fileOf(folder), `${JSON.stringify(pairing, null, 2)}\n`, { mode: 0o600 })
}

/** Reads a file of the state folder. Undefined if it is missing. */
export async function readState(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const fix =
      code === 'EACCES' ? 'Run the command as the owner of the folder, or with sudo.' : 'Check the disk.'
    throw new CliError(`Reading ${file} failed: ${code ?? 'unknown error'}. ${fix}`, undefined, { cause })
  }
}

/** @throws {CliError} that names the file, and never quotes it. */
export function parseState<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  file: string,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    throw new CliError(`Reading ${file} failed: it is damaged. Delete it, then run "homeward device pair".`)
  }
}
