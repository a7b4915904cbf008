import type { RuntimeServices } from './services.ts'

/** Methods that give their events as they happen. They are not called by a promise. */
type StreamMethods = { readonly runs: 'events'; readonly logs: 'follow' }

/** The names of a service's methods that give a promise. */
type AsyncMethods<Name extends keyof RuntimeServices> = Exclude<
  keyof RuntimeServices[Name],
  Name extends keyof StreamMethods ? StreamMethods[Name] : never
>

/**
 * The methods of each service, with their leading parameters that are texts. One that is left out does not compile.
 */
export const serviceMethods = {
  agents: {
    templates: [],
    list: [],
    get: ['id'],
    find: ['id'],
    create: [],
    update: ['id'],
    put: [],
    delete: ['id'],
  },
  runs: {
    start: [],
    attach: ['runId'],
    get: ['id'],
    find: ['id'],
    steps: ['id'],
    rerun: ['id'],
    list: [],
    countBySource: [],
    cancel: ['id'],
    decideApproval: ['runId', 'approvalId'],
    rememberedApprovals: ['agentId'],
    forgetApproval: ['agentId', 'id'],
    recover: [],
  },
  tasks: { create: [], get: ['id'], find: ['id'], list: [], cancel: ['id'], retry: ['id'] },
  graphs: {
    list: [],
    get: ['id'],
    find: ['id'],
    create: [],
    update: ['id'],
    put: [],
    delete: ['id'],
    start: [],
    rerun: ['runId'],
    run: [],
  },
  schedules: {
    next: [],
    list: [],
    find: ['id'],
    create: [],
    update: ['id'],
    delete: ['id'],
    run: ['id'],
    history: ['id'],
  },
  channels: {
    receive: ['channel'],
    status: ['channel'],
    setWebhook: ['channel', 'baseUrl'],
    messages: ['channel'],
    resolve: ['channel', 'messageId'],
    send: ['channel'],
    routes: ['channel'],
    setRoutes: ['channel'],
    senders: ['channel'],
    setSender: ['channel', 'senderId'],
    pair: ['channel', 'code'],
  },
  conversations: {
    list: [],
    get: ['id'],
    append: [],
    rename: ['id'],
    delete: ['id'],
    summarize: ['id'],
  },
  files: { get: ['id'] },
  memory: { write: [], search: [], delete: ['id'] },
  skills: {
    snapshot: [],
    config: ['skillId'],
    list: [],
    get: ['skillId'],
    remove: ['skillId'],
    install: [],
    preview: ['slug'],
    installSystem: [],
    uploadZip: [],
    previewUpload: [],
    uploadMarkdown: ['text'],
    registry: [],
    configSchema: ['skillId'],
    configView: ['skillId'],
    saveConfig: ['skillId'],
    setup: ['skillId'],
  },
  settings: { read: [], view: [], update: [] },
  models: { list: [], listProviders: [], saveProvider: ['name'], deleteProvider: ['name'] },
  mcp: {
    list: [],
    save: ['name'],
    delete: ['name'],
    test: ['name'],
    authorize: ['name'],
    finishAuthorization: [],
  },
  logs: { list: [], lastSeq: [] },
  usage: { report: [], backlog: [] },
  prices: { list: [], save: ['model'], delete: ['model'] },
  webhooks: {
    create: [],
    list: [],
    get: ['id'],
    update: ['id'],
    delete: ['id'],
    test: ['id'],
    deliveries: ['id'],
  },
  tokens: { create: [], list: [], delete: ['id'], verify: ['secret'] },
  audit: { list: [], record: [], settle: [] },
} as const satisfies {
  readonly [Name in keyof RuntimeServices]: Readonly<Record<AsyncMethods<Name>, readonly string[]>>
}
