import type { AgentChange } from '@homeward/contract/agent-platform'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { createRedactor, type Redactor } from '../secrets/redact.ts'
import { agentChanges } from '../store/agent-changes.ts'
import type { AgentVersionStore } from '../store/ports/agent-store.ts'
import type { Agents } from './agents.ts'
import type { ChangeAgent } from './create-agents.ts'

/** Dependencies of {@link createAgentVersions}. */
interface AgentVersionsOptions {
  /** Versions of all agents, also of those in files. */
  readonly versions: Pick<AgentVersionStore, 'listAgentVersions' | 'findAgentVersion'>
  /** Texts that must not stand in what versions changed. @default none */
  readonly secrets?: () => Promise<readonly string[]>
  /** @throws {RuntimeError} `not_found` */
  readonly assertExists: (id: string, attempt: string, signal?: AbortSignal) => Promise<unknown>
  readonly change: ChangeAgent
}

/** The versions of agents: their list, and the way back. */
export function createAgentVersions(options: AgentVersionsOptions): Pick<Agents, 'versions' | 'restore'> {
  const { versions, secrets, assertExists, change } = options
  return {
    async versions(id, { limit = 50, cursor } = {}, signal) {
      await assertExists(id, 'Listing versions', signal)
      const page = { limit: boundedLimit(limit, 200), cursor, of: id }
      const { rows, nextCursor } = await readPage('agent-versions', page, (part) =>
        versions.listAgentVersions(id, part, signal),
      )
      const redactor = createRedactor((await secrets?.()) ?? [])
      const shown = rows.map((row) => ({
        ...row,
        changes: row.changes.map((one) => withoutSecrets(one, redactor)),
      }))
      return { versions: shown, ...(nextCursor !== undefined && { nextCursor }) }
    },

    async restore(id, version, signal) {
      const attempt = 'Restoring a version'
      return change(id, attempt, signal, async (before, check) => {
        const wanted = await versions.findAgentVersion(id, version, signal)
        if (!wanted)
          throw new RuntimeError(
            'not_found',
            `${attempt} failed: the agent "${id}" does not have a version ${version}. List the versions to find it.`,
          )
        if (agentChanges(before, wanted).length === 0) return undefined
        await check(wanted)
        return wanted
      })
    },
  }
}

function withoutSecrets({ field, before, after }: AgentChange, { json }: Redactor): AgentChange {
  return {
    field,
    ...(before !== undefined && { before: json(before) }),
    ...(after !== undefined && { after: json(after) }),
  }
}
