import { readFile } from 'node:fs/promises'
import { AgentInput, type Agent } from '@homeward/contract/agent-platform'
import { issueText } from '@homeward/contract/handler'
import * as z from 'zod/mini'
import { withoutBlanks } from './without-blanks.ts'

/** Times of a file, in milliseconds since the epoch. */
interface FileTimes {
  readonly birthtimeMs: bigint
  readonly mtimeMs: bigint
}

const maxBytes = 1024 * 1024
const Times = z.object({ created_at: z.optional(z.string()), updated_at: z.optional(z.string()) })

/** Reads an agent that people may have written: only `model` is needed, the name of the file is the id. */
export async function readAgentFile(
  path: string,
  id: string,
  { birthtimeMs, mtimeMs }: FileTimes,
): Promise<{ readonly agent: Agent } | { readonly problem: string }> {
  const content = await readFile(path)
  if (content.length > maxBytes) return { problem: `it is larger than ${maxBytes} bytes` }
  let given: unknown
  try {
    given = JSON.parse(content.toString('utf8').replace(/^\uFEFF/, ''))
  } catch {
    return { problem: 'it is not valid JSON' }
  }
  const parsed = z.safeParse(AgentInput, given, { error: issueText })
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return { problem: `${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is wrong'}` }
  }
  if (parsed.data.id !== undefined && parsed.data.id !== id) {
    return { problem: `its id is "${parsed.data.id}"; name the file ${parsed.data.id}.json` }
  }
  const { id: _, ...fields } = parsed.data
  const times = z.safeParse(Times, given).data ?? {}
  const agent: Agent = {
    skills: [],
    schedule_enabled: true,
    ...withoutBlanks(fields),
    id,
    created_at: times.created_at ?? toTimestamp(birthtimeMs),
    updated_at: times.updated_at ?? toTimestamp(mtimeMs),
  }
  return { agent }
}

const toTimestamp = (ms: bigint) => new Date(Number(ms)).toISOString()
