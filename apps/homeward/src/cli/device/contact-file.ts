import { join } from 'node:path'
import { replaceFile } from '@homeward/kit/node'
import * as z from 'zod'
import type { RunningAgent } from '../../device/start-device-agent.ts'
import { homewardVersion } from '../../program/version.ts'
import { parseState, readState } from './pairing-file.ts'

const Contact = z.object({
  /** Process id of the agent that wrote it last. */
  pid: z.number(),
  startedAt: z.string(),
  version: z.string(),
  roots: z.array(z.string()),
  /** How the index of files is doing. */
  index: z
    .object({
      state: z.enum(['building', 'ready', 'off']),
      files: z.number(),
      bytes: z.number(),
      updatedAt: z.string().optional(),
    })
    .optional(),
  /** Of the last heartbeat that the cloud acknowledged, at most a minute old. */
  lastContactAt: z.string().optional(),
  /** Why the last heartbeat failed. */
  problem: z.string().optional(),
})

/** What an agent leaves for `status` and `doctor`. */
type Contact = z.infer<typeof Contact>

const fileOf = (folder: string) => join(folder, 'contact.json')
/** Spares the flash of small devices. */
const writeEveryMs = 60_000

/** Undefined if no agent has run in this folder yet. */
export async function readContact(folder: string): Promise<Contact | undefined> {
  const text = await readState(fileOf(folder))
  return text === undefined ? undefined : parseState(Contact, text, fileOf(folder))
}

/** Whether the agent that wrote the file still runs. */
export function isRunning({ pid }: Pick<Contact, 'pid'>): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // there, and somebody else's
  }
}

/** Writes down how an agent fares. A disk that does not take it stops nothing: the agent itself says so. */
export function recordContact(
  folder: string,
  { agent, indexStatus }: Pick<RunningAgent, 'agent' | 'indexStatus'>,
  roots: readonly string[],
  now: () => number = Date.now,
): void {
  let contact: Contact = {
    pid: process.pid,
    startedAt: new Date(now()).toISOString(),
    version: homewardVersion,
    roots: [...roots],
  }
  let writtenMs = 0
  let writing = Promise.resolve()
  const write = (changed: Contact) => {
    contact = { ...changed, index: indexStatus() }
    writtenMs = now()
    const text = `${JSON.stringify(contact, null, 2)}\n`
    writing = writing.then(() => replaceFile(fileOf(folder), text, { mode: 0o600 })).catch(() => {})
  }
  const fail = ({ error }: { readonly error: Error }) => {
    if (error.message !== contact.problem) write({ ...contact, problem: error.message })
  }
  write(contact)
  // An index that is ready is worth knowing before the next heartbeat.
  const watching = setInterval(() => {
    if (indexStatus().state !== contact.index?.state) write(contact)
  }, 5000)
  watching.unref()
  agent.on('heartbeat:error', fail)
  agent.on('unauthorized', fail)
  agent.on('enrollment:error', fail)
  agent.on('heartbeat:end', () => {
    const { problem, lastContactAt, ...rest } = contact
    const isNew = lastContactAt === undefined || problem !== undefined || now() - writtenMs >= writeEveryMs
    if (isNew) write({ ...rest, lastContactAt: new Date(now()).toISOString() })
  })
}
