import type { Operation } from '../operation.ts'
import { agentOperations, graphOperations, scheduleOperations } from './agent-operations.ts'
import { channelOperations, webhookOperations } from './channel-operations.ts'
import { aguiOperations } from './agui.ts'
import { chatOperations } from './chat-operations.ts'
import { conversationOperations, memoryOperations } from './conversation-operations.ts'
import { mcpClientOperations, skillOperations } from './skill-operations.ts'
import { runOperations, taskOperations } from './run-operations.ts'
import { whatIfOperations } from './what-if.ts'
import { feedbackOperations } from './feedback.ts'
import { knowledgeOperations } from './knowledge.ts'
import { metricsCall } from '../metrics-call.ts'
import { mcpCall } from '../mcp-call.ts'
import { pathsOf } from '../places.ts'
import { openaiOperations } from './openai/operations.ts'
import * as z from 'zod/mini'
import { AuditQuery, AuditRecord } from './audit.ts'
import { PageCursor, shortText, Slug, Timestamp, Done, PlatformId, limitParameter } from './values.ts'
import { UsageReport } from './usage.ts'
import { PriceOverride, Price, PricedModel, PriceList } from './price.ts'
import { idempotencyHeader } from './start-options.ts'
import { AccessToken, NewAccessToken } from './token.ts'
import { signalOperations } from './signal.ts'
import { triggerOperations } from './trigger.ts'
import { ModelList, ModelProviderInput, ModelProviderView } from './model-provider.ts'
import { JournalEvent } from './journal-event.ts'
import { SettingsPatch, SettingsView } from './settings.ts'

/** Settings, the journal and health. */
const platformOperations = {
  getSettings: {
    method: 'GET',
    path: '/api/settings',
    auth: 'local',
    scope: 'read',
    subject: 'shared',
    summary: 'Returns the settings, with booleans in place of secrets.',
    source: 'Other route families; A13',
    reply: SettingsView,
  },
  updateSettings: {
    method: 'PUT',
    path: '/api/settings',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'settings.updated', target: 'settings', details: 'names', isOutside: true },
    summary:
      'Changes settings. Absent settings keep their value. `null` and the empty string clear a setting.',
    source: 'A13',
    body: SettingsPatch,
    reply: z.object({
      ok: z.literal(true),
      /** Saved settings that have no effect, because an environment variable overrides them. Absent if there are none. */
      overridden: z.optional(z.array(z.string())),
    }),
  },
  listLogs: {
    method: 'GET',
    path: '/api/logs',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary:
      'Lists the newest events of the journal, or with `since` the events after it, in the order in which they happened.',
    source: 'Other route families; A14',
    query: z.object({
      limit: limitParameter(1000),
      /** Sequence number of the last event seen. */
      since: z.optional(
        z.pipe(
          z.string().check(z.regex(/^\d{1,15}$/, 'must be a sequence number')),
          z.pipe(z.transform(Number), z.int().check(z.gte(0))),
        ),
      ),
      type: z.optional(z.string().check(z.maxLength(100))),
      /** Event types, separated by commas. Events of each of them, and of `type`, are returned. */
      types: z.optional(z.string().check(z.maxLength(2000))),
      run_id: z.optional(PlatformId),
    }),
    reply: z.object({ events: z.array(JournalEvent) }),
  },
  getHealth: {
    method: 'GET',
    path: '/health',
    auth: 'public',
    summary: 'Returns that the server responds.',
    source: 'A19',
    reply: z.object({ status: z.literal('ok') }),
  },
} as const satisfies Record<string, Operation>

const byName = z.object({ name: Slug })

/** Model providers. */
const modelOperations = {
  listModels: {
    method: 'GET',
    path: '/api/models',
    auth: 'local',
    scope: 'read',
    subject: 'shared',
    summary:
      'Lists the models of each configured provider. The server asks the providers, for at most five seconds.',
    source: 'A21',
    reply: ModelList,
  },
  listModelProviders: {
    method: 'GET',
    path: '/api/models/providers',
    auth: 'local',
    scope: 'read',
    subject: 'shared',
    summary: 'Lists the model providers, the built-in ones first. Keys are not returned.',
    source: 'A21',
    reply: z.object({ providers: z.array(ModelProviderView) }),
  },
  saveModelProvider: {
    method: 'PUT',
    path: '/api/models/providers/{name}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'provider.saved', target: '{params.name}', details: 'names', isOutside: true },
    summary: 'Adds or replaces a model provider. Agents use it as `<name>/<model id>`.',
    source: 'A21',
    params: byName,
    body: ModelProviderInput,
    reply: z.object({ ok: z.literal(true), provider: ModelProviderView }),
    errors: [409],
  },
  deleteModelProvider: {
    method: 'DELETE',
    path: '/api/models/providers/{name}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'provider.deleted', target: '{params.name}', isOutside: true },
    summary: 'Deletes a model provider. Agents that use it cannot run until they name another one.',
    source: 'A21',
    params: byName,
    reply: Done,
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>

/** Access tokens with scopes. */
const tokenOperations = {
  createToken: {
    method: 'POST',
    path: '/api/tokens',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: {
      action: 'token.created',
      target: '',
      targetAfter: '{reply.token.id}',
      details: ['name', 'scopes', 'agents', 'user_id', 'allow', 'expires_at'],
    },
    summary:
      'Creates an access token, and returns its secret once. The token cannot expire later than the token that creates it. There are at most 1,000.',
    source: 'A26',
    headers: [idempotencyHeader],
    body: NewAccessToken,
    status: 201,
    reply: z.object({
      token: AccessToken,
      /** Send it as `Authorization: Bearer <secret>`. The server stores only its hash. */
      secret: z.string(),
    }),
    errors: [409],
  },
  listTokens: {
    method: 'GET',
    path: '/api/tokens',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    summary: 'Lists the access tokens, newest first. `API_TOKEN` is not among them.',
    source: 'A26',
    reply: z.object({ tokens: z.array(AccessToken) }),
  },
  deleteToken: {
    method: 'DELETE',
    path: '/api/tokens/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'token.deleted' },
    summary:
      'Deletes an access token: it is rejected at once. Its open streams and sockets close within 35 seconds.',
    source: 'A26',
    params: z.object({ id: PlatformId }),
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>

const byModel = z.object({ model: PricedModel })

/** What models cost (additions 6). */
const priceOperations = {
  listPrices: {
    method: 'GET',
    path: '/api/prices',
    auth: 'local',
    scope: 'read',
    subject: 'all',
    summary: 'Lists the built-in prices with their date, and the prices that you have set.',
    source: 'additions 6',
    reply: PriceList,
  },
  savePrice: {
    method: 'PUT',
    path: '/api/prices/{model}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'price.saved', target: '{params.model}', details: 'names', isOutside: true },
    summary:
      'Sets the price of a model for cost, usage and budgets from now on. Write the `/` in the name as `%2F`.',
    source: 'additions 6',
    params: byModel,
    body: Price,
    reply: z.object({ ok: z.literal(true), price: PriceOverride }),
  },
  deletePrice: {
    method: 'DELETE',
    path: '/api/prices/{model}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'price.deleted', target: '{params.model}', isOutside: true },
    summary:
      'Deletes the price that you have set for a model. The price of your app or of the catalog applies again.',
    source: 'additions 6',
    params: byModel,
    reply: Done,
    errors: [404],
  },
} as const satisfies Record<string, Operation>

/** What model calls have used. */
const usageOperations = {
  getUsage: {
    method: 'GET',
    path: '/api/usage',
    auth: 'local',
    scope: 'read',
    subject: { agent: 'query.agent_id', user: 'query.user_id' },
    summary:
      'Sums up the tokens and the cost of model calls by agent, model, and hour or day in UTC, as far back as the journal goes. With `group=user` also by user. A caller for one user sees its own.',
    source: 'D19',
    query: z.object({
      /** Calls that ended at this time or later. Default 30 days before `to`, or one day with `interval=hour`. */
      from: z.optional(Timestamp),
      /** Calls that ended before this time. Default a millisecond from now: what has ended is in it. */
      to: z.optional(Timestamp),
      /** Default `day`. By hours at most 31 days are summed up, by days at most 366. */
      interval: z.optional(z.enum(['hour', 'day'])),
      agent_id: z.optional(Slug),
      model: z.optional(shortText(200)),
      user_id: z.optional(PlatformId),
      /** `user`: a sum for each user. */
      group: z.optional(z.literal('user')),
    }),
    reply: UsageReport,
  },
} as const satisfies Record<string, Operation>

/** How administrators read who changed what. */
const auditOperations = {
  listAudit: {
    method: 'GET',
    path: '/api/audit',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    summary:
      'Lists changes of agents, graphs, skills, settings, providers, tokens, routes and senders, and rejected attempts, with who made them, newest first.',
    source: 'A27',
    query: AuditQuery,
    reply: z.object({ entries: z.array(AuditRecord), next_cursor: z.optional(PageCursor) }),
  },
} as const satisfies Record<string, Operation>

/** Agents as tools of MCP clients. */
const agentMcpOperations = {
  callAgentTools: {
    ...mcpCall,
    auth: 'local',
    scope: 'any',
    subject: 'none',
    summary:
      'Serves MCP clients. The tools run agents. Each tool needs the scopes of the routes that it calls.',
  },
} as const satisfies Record<string, Operation>

/** What the agent platform measures. */
const agentMetricsOperations = {
  readMetrics: { ...metricsCall, auth: 'local', scope: 'read', subject: 'all' },
} as const satisfies Record<string, Operation>

/** Every operation of the agent platform, as a table. */
export const agentPlatformOperations = {
  ...agentOperations,
  ...runOperations,
  ...taskOperations,
  ...graphOperations,
  ...scheduleOperations,
  ...conversationOperations,
  ...chatOperations,
  ...aguiOperations,
  ...memoryOperations,
  ...feedbackOperations,
  ...whatIfOperations,
  ...knowledgeOperations,
  ...skillOperations,
  ...channelOperations,
  ...modelOperations,
  ...mcpClientOperations,
  ...usageOperations,
  ...priceOperations,
  ...webhookOperations,
  ...triggerOperations,
  ...signalOperations,
  ...tokenOperations,
  ...auditOperations,
  ...platformOperations,
  ...agentMcpOperations,
  ...agentMetricsOperations,
} as const satisfies Record<string, Operation>

/** Type of {@link agentPlatformOperations}. */
export type AgentPlatformOperations = typeof agentPlatformOperations

/**
 * Path prefixes of the agent platform, including `/v1`, for your own router. Mount each path and everything below it.
 *
 * @example
 * for (const path of agentPlatformPaths) app.all(`${path}/**`, (event) => platform.fetch(event.req))
 */
export const agentPlatformPaths: readonly string[] = /* @__PURE__ */ pathsOf({
  ...agentPlatformOperations,
  ...openaiOperations,
})
