import { replaceFile } from '@homeward/kit/node'
import { randomUUID } from 'node:crypto'
import { link, mkdir, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Slug, type Agent } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import { currentAct } from '../audit/acting.ts'
import type { AgentStore, AgentVersionStore } from '../store/ports/agent-store.ts'
import type { Logger } from '../ports/logger.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { codeOf, missing } from './file-failures.ts'
import { findAgentFile } from './read-agent-file.ts'

/** What {@link createAgentFolder} is built from. */
interface AgentFolderOptions {
  /** Absolute path. It is made by the first write. */
  readonly folder: string
  /** Told of files that cannot be used, once for each state of a file. */
  readonly logger: Logger
  /** Where versions are recorded, also of what people edit. @default nowhere: every agent is of version 1 */
  readonly versions?: Pick<AgentVersionStore, 'saveAgentVersion' | 'deleteAgentVersions'>
}

interface KnownFile {
  readonly stamp: string
  readonly agent: Agent | undefined
  /** What else stands in it. */
  readonly others?: Readonly<Record<string, unknown>>
  /** Why it is no agent. */
  readonly problem?: string
}

/**
 * Keeps each agent as `<id>.json` in a folder, so that people can edit them and keep them under version control. Files
 * are read again when they have changed; one that cannot be used is reported and left out.
 */
export function createAgentFolder({ folder, logger, versions }: AgentFolderOptions): AgentStore {
  const known = new Map<string, KnownFile>()
  const pathOf = (id: string) => join(folder, `${id}.json`)

  /** @param actor who has just written it; absent for what people edit */
  async function load(id: string, signal?: AbortSignal, actor?: string): Promise<Agent | undefined> {
    signal?.throwIfAborted()
    if (!z.safeParse(Slug, id).success) return undefined
    const file = await findAgentFile(pathOf(id), id)
    const before = known.get(id)
    if (file !== undefined && before?.stamp === file.stamp) return structuredClone(before.agent)
    const read = await file?.read()
    if (file === undefined || read === undefined) {
      known.delete(id)
      return undefined
    }
    const { stamp } = file
    if ('problem' in read) {
      logger.warn(
        `Loading the agent file ${id}.json failed: ${read.problem}. Correct the file; until then, the agent does not exist.`,
      )
      known.set(id, { stamp, agent: undefined, problem: read.problem })
      return undefined
    }
    const version = (await versions?.saveAgentVersion(read.agent, actor)) ?? 1
    const agent = { ...read.agent, version }
    known.set(id, { stamp, ...read, agent })
    return structuredClone(agent)
  }

  /** Writes beside and puts it in place: readers see a whole file or none. */
  async function put(
    agent: Agent,
    place: (temporary: string, target: string) => Promise<void>,
  ): Promise<void> {
    const temporary = join(folder, `.${agent.id}.${randomUUID()}.tmp`)
    try {
      await writeFile(temporary, toText(agent), { mode: 0o600, flush: true })
      await place(temporary, pathOf(agent.id))
    } finally {
      await rm(temporary, { force: true })
      known.delete(agent.id)
    }
  }

  return {
    async insertAgent(agent, _audit, signal) {
      signal?.throwIfAborted()
      await guarded(() => mkdir(folder, { recursive: true, mode: 0o700 }))
      try {
        // a link, unlike a rename, refuses a name that is taken: also by a file that cannot be used
        await guarded(() => put(agent, link))
        await versions?.deleteAgentVersions(agent.id) // of one that people removed
        await load(agent.id, undefined, actorNow())
        return true
      } catch (error) {
        if (!RuntimeError.is(error) || codeOf(error.cause) !== 'EEXIST') throw error
      }
      await load(agent.id, signal)
      const problem = known.get(agent.id)?.problem
      if (problem === undefined) return false
      const message = `Creating an agent failed: the file ${agent.id}.json exists but is invalid: ${problem}. Correct or remove the file.`
      throw new RuntimeError('conflict', message)
    },
    async replaceAgent(agent, _audit, signal) {
      if (!(await load(agent.id, signal))) return undefined
      const text = toText({ ...agent, ...known.get(agent.id)?.others })
      await guarded(() => replaceFile(pathOf(agent.id), text)) // with the mode and the owner of the one that is there
      known.delete(agent.id)
      return (await load(agent.id, undefined, actorNow()))?.version
    },
    async deleteAgent(id, _audit, signal) {
      if (!(await load(id, signal))) return false
      const gone = await guarded(() => unlink(pathOf(id)).then(() => true, missing))
      known.delete(id)
      await versions?.deleteAgentVersions(id)
      return gone === true
    },
    findAgent: (id, signal) => load(id, signal),
    async listAgents(signal) {
      signal?.throwIfAborted()
      const names = (await readdir(folder).catch(missing)) ?? []
      const ids = names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5))
      const agents = await Promise.all(ids.map((id) => load(id, signal)))
      return agents.flatMap((agent) => agent ?? []).toSorted(byAge)
    },
  }
}

/** Whose act this is part of. */
const actorNow = () => currentAct()?.entry.actor

/** Content of the file of an agent. The database counts its version, because people edit the file. */
const toText = (agent: Agent) => `${JSON.stringify({ ...agent, version: undefined }, null, 2)}\n`

function byAge(a: Agent, b: Agent): number {
  const [left, right] = a.created_at === b.created_at ? [a.id, b.id] : [a.created_at, b.created_at]
  return left < right ? -1 : 1
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (RuntimeError.is(cause)) throw cause
    throw new RuntimeError(
      'storage_error',
      'Writing an agent file failed: the file system reported an error, see the cause. Check the permissions of the agents folder.',
      { cause },
    )
  }
}
