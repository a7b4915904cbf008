import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'

/** An operation whose calls are in the audit (A27). */
export interface AuditedAct {
  /** What is done, such as `agent.updated`. */
  readonly action: string
  /**
   * What it is done to, by the call and, if it was done, by the reply. A change of the store knows better, and its entry is
   * written in the same transaction.
   */
  target(call: AuditedCall, reply?: unknown): string
  /** Whether the change is outside of the store: its entry is written before, and completed after it. */
  readonly isOutside?: true
  /** Particulars. Names of fields and of settings, never their values. */
  details?(call: AuditedCall): Readonly<Record<string, unknown>>
}

/** What is read of a call. Each operation has its own types; here all are alike. */
export interface AuditedCall {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Fields

const text = (value: unknown, fallback: string) => (typeof value === 'string' ? value : fallback)
const names = ({ body }: AuditedCall) => ({ fields: Object.keys(fieldsOf(body)) })
const param = (name: string) => (call: AuditedCall) => text(fieldsOf(call.params)[name], '')
const given = (name: string) => (call: AuditedCall) => text(fieldsOf(call.body)[name], '')
const channel = param('channel')
const always = (target: string) => () => target

/** The id of the skill that the reply names; before, what the caller asked for. */
const skill = (call: AuditedCall, reply?: unknown) => {
  const asked = text(fieldsOf(call.body)['slug'], 'upload')
  return text(fieldsOf(fieldsOf(reply)['skill'])['id'], asked)
}

/** Every operation that is audited. One that is added with the scope `admin` and changes something needs a row here. */
export const auditedActs: { readonly [Id in keyof AgentPlatformOperations]?: AuditedAct } = {
  createAgent: { action: 'agent.created', target: given('id'), details: names },
  updateAgent: { action: 'agent.updated', target: param('id'), details: names },
  deleteAgent: { action: 'agent.deleted', target: param('id') },
  createGraph: { action: 'graph.created', target: given('id'), details: names },
  updateGraph: { action: 'graph.updated', target: param('id'), details: names },
  deleteGraph: { action: 'graph.deleted', target: param('id') },
  createSchedule: { action: 'schedule.created', target: always(''), details: names },
  updateSchedule: { action: 'schedule.updated', target: param('id'), details: names },
  deleteSchedule: { action: 'schedule.deleted', target: param('id') },
  installSkill: { action: 'skill.installed', target: skill, isOutside: true },
  installSystemSkills: { action: 'skill.seeds-installed', target: always('seeds'), isOutside: true },
  uploadSkill: { action: 'skill.uploaded', target: skill, isOutside: true },
  uploadSkillMarkdown: { action: 'skill.uploaded', target: skill, isOutside: true },
  deleteSkill: { action: 'skill.removed', target: param('id'), isOutside: true },
  saveSkillConfig: { action: 'skill.configured', target: param('id'), isOutside: true, details: names },
  updateSettings: { action: 'settings.updated', target: always('settings'), isOutside: true, details: names },
  saveModelProvider: { action: 'provider.saved', target: param('name'), isOutside: true, details: names },
  deleteModelProvider: { action: 'provider.deleted', target: param('name'), isOutside: true },
  saveMcpServer: { action: 'mcp-server.saved', target: param('name'), isOutside: true, details: names },
  deleteMcpServer: { action: 'mcp-server.deleted', target: param('name'), isOutside: true },
  authorizeMcpServer: {
    action: 'mcp-server.authorization-started',
    target: param('name'),
    isOutside: true,
  },
  finishMcpAuthorization: {
    action: 'mcp-server.authorized',
    target: (_, reply) => text(fieldsOf(fieldsOf(reply)['server'])['name'], 'unknown'),
    isOutside: true,
  },
  savePrice: { action: 'price.saved', target: param('model'), isOutside: true, details: names },
  deletePrice: { action: 'price.deleted', target: param('model'), isOutside: true },
  createToken: {
    action: 'token.created',
    target: (_, reply) => text(fieldsOf(fieldsOf(reply)['token'])['id'], ''),
    details: ({ body }) => {
      const { name, scopes, agents, expires_at } = fieldsOf(body)
      return { name, scopes, agents, expires_at }
    },
  },
  deleteToken: { action: 'token.deleted', target: param('id') },
  createWebhook: { action: 'webhook.created', target: always(''), details: names },
  updateWebhook: { action: 'webhook.updated', target: param('id'), details: names },
  deleteWebhook: { action: 'webhook.deleted', target: param('id') },
  testWebhook: { action: 'webhook.tested', target: param('id'), isOutside: true },
  setChannelWebhook: { action: 'channel.webhook-set', target: channel, isOutside: true },
  setChannelRoutes: { action: 'routes.replaced', target: channel },
  setChannelSender: {
    action: 'sender.decided',
    target: (call) => `${channel(call)}/${param('id')(call)}`,
    details: ({ body }) => ({ status: fieldsOf(body)['status'] }),
  },
  pairChannelSender: { action: 'sender.paired', target: channel },
}
