import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret } from '@homeward/device-sdk'
import { assertStateFolder } from '../../../device/start-device-agent.ts'
import { readState } from '../pairing-file.ts'
import { failure, type Finding, ok } from './finding.ts'

/** What the state folder holds. */
interface StateCheck {
  readonly findings: readonly Finding[]
  readonly apiKey: Secret | undefined
}

/** Checks who can read the state, whether it can be written, and the form of the key. */
export async function checkState(folder: string, isRunning: boolean): Promise<StateCheck> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => error.code)
  if (typeof found === 'string' || found === undefined)
    return { findings: [missing(folder, found)], apiKey: undefined }
  const findings = [
    ...checkMode(folder, found.mode, 0o077, 'chmod 700'),
    ...(await checkWritable(folder, isRunning)),
  ]
  const file = join(folder, 'device-key')
  try {
    const text = (await readState(file))?.trim()
    if (text === undefined) return { findings, apiKey: undefined }
    const { mode } = await stat(file)
    const isWhole = /^hw_[\w-]{43}$/.test(text)
    const damaged = failure(
      `The key in ${file} is damaged.`,
      'Restore the file, or delete it and run "homeward device pair" again.',
    )
    const key = isWhole ? checkMode(file, mode, 0o077, 'chmod 600') : [damaged]
    return { findings: [...findings, ...key], apiKey: isWhole ? new Secret(text) : undefined }
  } catch {
    const unreadable = failure(`The key in ${file} cannot be read.`, 'Run the command with sudo.')
    return { findings: [...findings, unreadable], apiKey: undefined }
  }
}

function missing(folder: string, code: string | undefined): Finding {
  return code === 'ENOENT'
    ? failure(`The state folder ${folder} is missing.`, 'Run "homeward device pair --cloud <address>".')
    : failure(`The state folder ${folder} cannot be opened.`, 'Run the command as its owner, or with sudo.')
}

/** Windows has no modes. */
function checkMode(path: string, mode: number, forbidden: number, command: string): readonly Finding[] {
  if (process.platform === 'win32') return []
  if ((mode & forbidden) === 0) return [ok(`Only its owner can read ${path}.`)]
  const shown = (mode & 0o777).toString(8)
  return [failure(`Other users can get at ${path} (mode ${shown}).`, `Run: ${command} "${path}"`)]
}

async function checkWritable(folder: string, isRunning: boolean): Promise<readonly Finding[]> {
  try {
    await access(folder, constants.W_OK)
  } catch {
    return [
      failure(`The state folder ${folder} cannot be written.`, 'Run the command as its owner, or with sudo.'),
    ]
  }
  if (isRunning) return []
  try {
    await assertStateFolder(folder)
    return []
  } catch (error) {
    return [
      failure(
        (error as Error).message,
        'Each agent needs a state folder of its own: set DEVICE_STATE or --state.',
      ),
    ]
  }
}
