import { readFile, stat } from 'node:fs/promises'
import { AgentInput, type Agent } from '@homeward/contract/agent-platform'
import { parseExactJson } from '@homeward/kit'
import * as z from 'zod/mini'
import { readInput } from '../host-input/parse-input.ts'
import { barred } from './file-failures.ts'
import { withoutBlanks } from './without-blanks.ts'

/** Times of a file, in milliseconds since the epoch. */
interface FileTimes {
  readonly birthtimeMs: bigint
  readonly mtimeMs: bigint
}

const maxBytes = 1024 * 1024
const Times = z.object({ created_at: z.optional(z.string()), updated_at: z.optional(z.string()) })

/** What a file holds, or why it is no agent. */
type AgentReading =
  | {
      readonly agent: Agent
      /** Fields that are not the platform's: a note, a `$schema`. */
      readonly others: Readonly<Record<string, unknown>>
    }
  | { readonly problem: string }

/** A file that is there. */
interface AgentFile {
  /** Another one means that it has changed. */
  readonly stamp: string
  /** @returns undefined when it is gone by now. */
  read(): Promise<AgentReading | undefined>
}

/** Looks at the file of an agent without reading it. @returns undefined when there is none. */
export async function findAgentFile(path: string, id: string): Promise<AgentFile | undefined> {
  const found = await stat(path, { bigint: true }).catch(barred)
  if (found === undefined) return undefined
  if ('problem' in found) return { stamp: found.problem, read: async () => found }
  if (!found.isFile()) return undefined
  // the time of the change tells of permissions too
  const stamp = `${found.mtimeNs} ${found.ctimeNs} ${found.size} ${found.ino}`
  return { stamp, read: () => readAgentFile(path, id, found).catch(barred) }
}

/** Reads an agent that people may have written: only `model` is needed, the name of the file is the id. */
async function readAgentFile(
  path: string,
  id: string,
  { birthtimeMs, mtimeMs }: FileTimes,
): Promise<AgentReading> {
  const content = await readFile(path)
  if (content.length > maxBytes) return { problem: `it is larger than ${maxBytes} bytes` }
  let given: unknown
  try {
    given = parseExactJson(content.toString('utf8').replace(/^\uFEFF/, ''))
  } catch {
    return { problem: 'it is not valid JSON' }
  }
  const input = readInput(AgentInput, given)
  if ('problem' in input) return input
  const { id: named, ...fields } = input.value
  if (named !== undefined && named !== id) {
    return { problem: `its id is "${named}"; name the file ${named}.json` }
  }
  const times = z.safeParse(Times, given).data ?? {}
  const agent: Agent = {
    skills: [],
    schedule_enabled: true,
    ...withoutBlanks(fields),
    id,
    version: 1, // counted elsewhere
    created_at: times.created_at ?? toTimestamp(birthtimeMs),
    updated_at: times.updated_at ?? toTimestamp(mtimeMs),
  }
  return { agent, others: Object.fromEntries(Object.entries(given as object).filter(isOther)) } // it was read as one
}

const ownFields = new Set([...Object.keys(AgentInput.shape), ...Object.keys(Times.shape)])
const isOther = ([name]: readonly [string, unknown]) => !ownFields.has(name)

const toTimestamp = (ms: bigint) => new Date(Number(ms)).toISOString()
