import { withIdempotencyKey } from './start-headers.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import type { NewAccessToken } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import { forbidden, hasScope, type PlatformCaller } from './access/platform-caller.ts'
import type { McpEndpoint } from '@homeward/contract/mcp'

/** What operators set up, and what they read of it. */
export function createOperatorHandlers(context: PlatformContext) {
  return {
    ...createModelHandlers(context),
    ...createMcpServerHandlers(context),
    ...createUsageHandlers(context),
    ...createPriceHandlers(context),
    ...createWebhookHandlers(context),
    ...createTokenHandlers(context),
    ...createSettingsHandlers(context),
  }
}

/** Usage of model calls. */
function createUsageHandlers({ services }: PlatformContext): Pick<PlatformHandlers, 'getUsage'> {
  return {
    getUsage: ({ query: { agent_id: agentId, user_id: userId, ...query }, request }) =>
      services.usage.report({ ...query, agentId, userId }, request.signal),
  }
}

type PriceHandlers = Pick<PlatformHandlers, 'listPrices' | 'savePrice' | 'deletePrice'>

/** Prices of models. */
function createPriceHandlers({ services: { prices } }: PlatformContext): PriceHandlers {
  return {
    listPrices: () => prices.list(),
    savePrice: async ({ params, body }) => ({ ok: true, price: await prices.save(params.model, body) }),
    async deletePrice({ params }) {
      await prices.delete(params.model)
      return { ok: true }
    },
  }
}

type SettingsHandlers = Pick<PlatformHandlers, 'getSettings' | 'updateSettings' | 'listLogs' | 'getHealth'>

/** Settings, the journal and health (A13, A14). */
function createSettingsHandlers({ services }: PlatformContext): SettingsHandlers {
  return {
    getSettings: () => services.settings.view(),
    async updateSettings({ body }) {
      const { overridden } = await services.settings.update(body)
      return { ok: true, ...(overridden.length > 0 && { overridden: [...overridden] }) }
    },
    async listLogs({ query: { run_id: runId, types, ...query }, request }) {
      const names = types?.split(',').map((name) => name.trim())
      return { events: await services.logs.list({ ...query, types: names, runId }, request.signal) }
    },
    getHealth: () => ({ status: 'ok' }),
  }
}

type ModelHandlers = Pick<
  PlatformHandlers,
  'listModels' | 'listModelProviders' | 'saveModelProvider' | 'deleteModelProvider'
>

/** Model providers (A21). */
function createModelHandlers({ services: { models } }: PlatformContext): ModelHandlers {
  return {
    listModels: ({ request }) => models.list(request.signal),
    listModelProviders: async () => ({ providers: await models.listProviders() }),
    saveModelProvider: async ({ params, body }) => ({
      ok: true,
      provider: await models.saveProvider(params.name, body),
    }),
    async deleteModelProvider({ params }) {
      await models.deleteProvider(params.name)
      return { ok: true }
    },
  }
}

type TokenHandlers = Pick<PlatformHandlers, 'createToken' | 'listTokens' | 'deleteToken' | 'listAudit'>

/** Access tokens and the audit (A26, A27). */
function createTokenHandlers({ services: { tokens, audit } }: PlatformContext): TokenHandlers {
  return {
    createToken: ({ body, caller, request }) =>
      tokens.create(boundToken(withIdempotencyKey(body, request), caller)),
    listTokens: async ({ request }) => ({ tokens: [...(await tokens.list(request.signal))] }),
    async deleteToken({ params }) {
      await tokens.delete(params.id)
      return { ok: true }
    },
    async listAudit({ query, request }) {
      const { from, to, ...filter } = query
      const time = (text: string | undefined) =>
        text === undefined ? undefined : new Date(text).toISOString()
      const page = await audit.list({ ...filter, from: time(from), to: time(to) }, request.signal)
      const { entries, nextCursor } = page
      return { entries: [...entries], ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
  }
}

type McpHandlers = Pick<
  PlatformHandlers,
  | 'listMcpServers'
  | 'saveMcpServer'
  | 'deleteMcpServer'
  | 'testMcpServer'
  | 'authorizeMcpServer'
  | 'finishMcpAuthorization'
  | 'returnFromMcpLogin'
  | 'getMcpClientMetadata'
  | 'listMcpLogins'
  | 'deleteMcpLogin'
>

/** MCP servers whose tools agents use (A29). */
function createMcpServerHandlers({ services: { mcp } }: PlatformContext): McpHandlers {
  return {
    listMcpServers: async () => ({ servers: await mcp.list() }),
    saveMcpServer: async ({ params, body }) => ({ ok: true, server: await mcp.save(params.name, body) }),
    async deleteMcpServer({ params }) {
      await mcp.delete(params.name)
      return { ok: true }
    },
    testMcpServer: ({ params, request }) => mcp.test(params.name, request.signal),
    async authorizeMcpServer({ params, body }) {
      const address = await mcp.authorize(params.name, body)
      return { ok: true, ...(address !== undefined && { authorization_url: address }) }
    },
    finishMcpAuthorization: async ({ body }) => ({ ok: true, server: await mcp.finishAuthorization(body) }),
    async returnFromMcpLogin(call) {
      const { returnFromLogin } = await import('./mcp/return-from-login.ts')
      return returnFromLogin(mcp, call.query)
    },
    async getMcpClientMetadata() {
      const metadata = await mcp.clientMetadata()
      if (metadata) return metadata
      const text =
        'Getting the client id metadata document failed: "public_url" is not an https address. Set it.'
      throw new RuntimeError('not_found', text)
    },
    async listMcpLogins({ params, query: { user_id: userId } }) {
      const logins = await mcp.logins(params.name)
      return { logins: logins.filter(({ user_id: id }) => userId === undefined || id === userId) }
    },
    async deleteMcpLogin({ params }) {
      await mcp.deleteLogin(params.name, params.user_id)
      return { ok: true }
    },
  }
}

type WebhookHandlers = Pick<
  PlatformHandlers,
  | 'createWebhook'
  | 'listWebhooks'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'testWebhook'
  | 'listWebhookDeliveries'
>

/** Webhooks (A30). */
function createWebhookHandlers({ services: { webhooks } }: PlatformContext): WebhookHandlers {
  return {
    async createWebhook({ body, setHeader }) {
      setHeader('cache-control', 'no-store')
      return await webhooks.create(body)
    },
    listWebhooks: async () => ({ webhooks: [...(await webhooks.list())] }),
    getWebhook: async ({ params }) => ({ webhook: await webhooks.get(params.id) }),
    updateWebhook: async ({ params, body }) => ({
      ok: true,
      webhook: await webhooks.update(params.id, body),
    }),
    async deleteWebhook({ params }) {
      await webhooks.delete(params.id)
      return { ok: true }
    },
    testWebhook: async ({ params }) => ({ ok: true, delivery: await webhooks.test(params.id) }),
    listWebhookDeliveries: async ({ params }) => ({
      deliveries: [...(await webhooks.deliveries(params.id))],
    }),
  }
}

/**
 * The token that a caller may create: with no scope that it lacks, and not for longer than its own token (A26). Callers who
 * are limited to agents or to a user create none at all.
 *
 * @throws {HttpError} 403 for what the caller cannot give away.
 */
function boundToken(
  wanted: NewAccessToken,
  caller: Pick<PlatformCaller, 'actor' | 'scopes' | 'expiresAt'>,
): NewAccessToken {
  const lacking = wanted.scopes.filter((scope) => !hasScope(caller, scope))
  if (lacking.length > 0)
    throw forbidden(
      `Creating a token failed: its creator lacks the scopes ${lacking.join(', ')}. Leave them out.`,
    )
  const { expiresAt } = caller
  if (expiresAt === undefined) return wanted
  if (wanted.expires_at === undefined) return { ...wanted, expires_at: expiresAt }
  if (Date.parse(wanted.expires_at) <= Date.parse(expiresAt)) return wanted
  throw forbidden(
    `Creating a token failed: "expires_at" must be at or before ${expiresAt}, when the creating token expires. Choose an earlier time.`,
  )
}

/** Takes messages of MCP clients. What serves them is loaded with the first one, because most servers never get one. */
export function createMcpHandlers(
  context: Pick<PlatformContext, 'respond' | 'requestOrigin' | 'basePath' | 'onError'>,
): Pick<PlatformHandlers, 'callAgentTools'> {
  let endpoint: Promise<McpEndpoint> | undefined
  const open = () =>
    (endpoint ??= import('./mcp/create-agent-endpoint.ts').then(({ createAgentEndpoint }) =>
      createAgentEndpoint(context),
    ))
  return {
    callAgentTools: async ({ request, body, caller }) =>
      (await open())(request, body, hasScope(caller, 'approve')),
  }
}
