import { isAbsolute, join } from 'node:path'
import type { AgentStore, AgentVersionStore } from '../store/ports/agent-store.ts'
import type { ScheduleStore } from '../store/ports/schedule-store.ts'
import type { Logger } from '../ports/logger.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import { createAgentFolder } from './agent-folder.ts'

/** What {@link chooseAgentStore} is built from. */
interface AgentStoreChoice {
  readonly database: AgentStore & AgentVersionStore & Pick<ScheduleStore, 'deleteSchedulesOf'>
  readonly settings: Pick<RuntimeSettings, 'read'>
  /** What a relative `agents_dir` is relative to. */
  readonly home: () => string
  readonly logger: Logger
}

/**
 * Agents in the database, or in a folder of JSON files once the setting `agents_dir` names one: the one switch. It acts
 * at once. Agents are not copied from one place to the other. The database has the versions of both.
 */
export function chooseAgentStore({ database, settings, home, logger }: AgentStoreChoice): AgentStore {
  let folder: { readonly path: string; readonly store: AgentStore } | undefined

  async function chosen(): Promise<AgentStore> {
    const { agents_dir: name } = await settings.read()
    if (name === undefined) return database
    const path = isAbsolute(name) ? name : join(home(), name)
    if (folder?.path !== path)
      folder = { path, store: createAgentFolder({ folder: path, logger, versions: database }) }
    return folder.store
  }

  return {
    insertAgent: async (...given) => (await chosen()).insertAgent(...given),
    replaceAgent: async (...given) => (await chosen()).replaceAgent(...given),
    async deleteAgent(id, audit, signal) {
      const store = await chosen()
      // the database does so itself; first, because a new agent with this id must not find them
      if (store !== database) await database.deleteSchedulesOf({ kind: 'agent', id }, signal)
      return store.deleteAgent(id, audit, signal)
    },
    findAgent: async (id, signal) => (await chosen()).findAgent(id, signal),
    listAgents: async (signal) => (await chosen()).listAgents(signal),
  }
}
