import { isDeepStrictEqual } from 'node:util'
import type { Agent, AgentChange, Json } from '@homeward/contract/agent-platform'

/** Fields that people do not choose. */
const given: ReadonlySet<string> = new Set(['id', 'version', 'created_at', 'updated_at'])

/** Lists the fields that differ between two versions of an agent. @param before absent for the first version: every field differs */
export function agentChanges(before: Agent | undefined, after: Agent): AgentChange[] {
  const [earlier, later] = [toFields(before), toFields(after)]
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(later)])]
  return names.flatMap((field) => {
    const [one, other] = [earlier[field], later[field]]
    if (given.has(field) || isDeepStrictEqual(one, other)) return []
    return { field, ...(one !== undefined && { before: one }), ...(other !== undefined && { after: other }) }
  })
}

/** The fields as they are stored. */
const toFields = (agent: Agent | undefined) =>
  JSON.parse(JSON.stringify(agent ?? {})) as Readonly<Record<string, Json>> // a written object
