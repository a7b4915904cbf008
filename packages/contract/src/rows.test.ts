import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { agentPlatformOperations, agentPlatformPaths, openaiOperations } from './agent-platform/index.ts'
import { AuditAction, deviceCloudOperations, deviceCloudPaths } from './device-cloud/index.ts'
import { allowances, type Operation, type OperationAudit, type Place, type Schema } from './operation.ts'
import { fillPlaces } from './places.ts'

const platform: Readonly<Record<string, Operation>> = { ...agentPlatformOperations, ...openaiOperations }
const cloud: Readonly<Record<string, Operation>> = deviceCloudOperations
const rows = [...Object.entries(platform), ...Object.entries(cloud)]

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly $ref?: string
}

const parts = ({ anyOf = [], oneOf = [], allOf = [] }: JsonSchema) => [...anyOf, ...oneOf, ...allOf]

/** What a schema has under a name, in any of its forms. */
function fieldOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  if (schema === undefined) return undefined
  if (schema.$ref !== undefined) return schema // any JSON
  return (
    schema.properties?.[name] ??
    parts(schema)
      .map((part) => fieldOf(part, name))
      .find((found) => found !== undefined)
  )
}

const describeSchema = (schema: Schema | string | undefined) =>
  typeof schema === 'object'
    ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema)
    : undefined

function has({ params, query, body, reply }: Operation, place: Place): boolean {
  const [part = '', ...names] = place.split('.')
  const schema = { params, query, body, reply }[part]
  return names.reduce<JsonSchema | undefined>(fieldOf, describeSchema(schema)) !== undefined
}

const placesIn = (template = '') => [...template.matchAll(/\{([^}]+)\}/g)].map(([, place]) => place as Place)

function placesOfAudit(audit: OperationAudit): Place[] {
  const { target, targetAfter, device, name, details = [] } = audit
  const fields = typeof details === 'string' ? [] : details.map((field): Place => `body.${field}`)
  return [...placesIn(target), ...placesIn(targetAfter), ...fields, device ?? [], name ?? []].flat()
}

function placesOfSubject({ subject }: Operation): Place[] {
  if (subject === undefined || typeof subject === 'string') return []
  if ('found' in subject) return [subject.id]
  if (!('rows' in subject)) {
    const { agent, graph, user, conversation, allow = {}, shown } = subject
    const own = user === 'everyone' || user === 'nobody' ? [] : [user]
    const seen = shown ? ([`reply.${shown.in}`] as const) : []
    const given = [agent, graph, conversation].filter((place) => place !== undefined)
    return [...given, ...own, ...Object.values(allow).flat(), ...seen]
  }
  const { rows: list, single, user, conversation, without = [], shown } = subject
  const inReply = [list, ...(single ? [single.in] : []), ...(shown ? [shown.in] : []), ...without]
  return [
    ...inReply.map((field): Place => `reply.${field}`),
    ...(typeof user === 'object' ? [user.filter] : []),
    ...[single?.id, conversation].filter((place) => place !== undefined),
  ]
}

/** Its body may have any field of a run request beside its own, so no schema of its own names them. */
const takesRunFields = (id: string) => id === 'chat'
/** Clients of these protocols send earlier messages always; only the newest is read as a message. */
const isOfProtocol = (id: string) => id in openaiOperations || id === 'runAgui'

it.each(rows)('%s names fields that its schemas have, in its audit and its subject', (id, row) => {
  if (takesRunFields(id)) return
  const audit = row.audit === undefined || row.audit === 'none' ? [] : placesOfAudit(row.audit)
  expect([...audit, ...placesOfSubject(row)].filter((place) => !has(row, place))).toEqual([])
})

it.each(rows)('%s asks for an allowance for each field that needs one', (id, row) => {
  const { subject, body } = row
  if (typeof subject !== 'object' || !('user' in subject) || isOfProtocol(id) || takesRunFields(id)) return
  const allow = 'allow' in subject ? Object.keys(subject.allow ?? {}) : []
  const needed = body ? allowances.filter((name) => has(row, `body.${name}`)) : []
  expect(needed.toSorted()).toEqual(allow.toSorted())
})

it('names fields of the rows of each list', () => {
  const lists = rows.flatMap(([id, { subject, reply }]) =>
    typeof subject === 'object' && 'rows' in subject ? [{ id, subject, reply }] : [],
  )
  for (const { id, subject, reply } of lists) {
    const { rows: list, agent, graph, user } = subject
    const row = fieldOf(describeSchema(reply), list)?.items
    const names = [agent, graph, typeof user === 'object' ? user.field : undefined].filter(
      (name) => name !== undefined,
    )
    expect([id, names.filter((name) => fieldOf(row, name) === undefined)]).toEqual([id, []])
  }
  expect(lists).toHaveLength(9)
})

it('audits the device cloud by the actions of its audit', () => {
  const actions = Object.values(cloud).flatMap(({ audit }) =>
    audit === undefined || audit === 'none' ? [] : [audit.action],
  )
  expect(actions.filter((action) => !AuditAction.safeParse(action).success)).toEqual([])
})

describe('the paths that a host mounts', () => {
  it.each([
    [
      'device cloud',
      cloud,
      deviceCloudPaths,
      '/mcp',
      '/metrics',
      '/api/devices',
      '/api/tokens',
      '/api/owner',
    ],
    ['agent platform', platform, agentPlatformPaths, '/mcp', '/metrics', '/v1', '/health', '/api/agents'],
  ] as const)('hold every operation of the %s', (_, table, paths, ...some) => {
    const missing = Object.values(table).filter(
      ({ path }) => !paths.some((mounted) => path === mounted || path.startsWith(`${mounted}/`)),
    )
    expect(missing).toEqual([])
    expect(paths).toEqual(expect.arrayContaining([...some]))
    expect(paths.filter((path) => path === '/api' || path === '/')).toEqual([])
  })
})

it('fills the places of a text, and leaves out what a call does not have', () => {
  const call = { params: { channel: 'channel_a', id: '42' } }
  expect(fillPlaces('{params.channel}/{params.id}{body.more}', call)).toBe('channel_a/42')
})
