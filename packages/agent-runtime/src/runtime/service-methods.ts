import type { AgentPlatformOperations } from '@homeward/contract/agent-platform'
import type { RuntimeServices } from './services.ts'

/** Methods that give their events as they happen. They are not called by a promise. */
type StreamMethods = { readonly runs: 'events'; readonly logs: 'follow' }

/** The names of a service's methods that give a promise. */
type AsyncMethods<Name extends keyof RuntimeServices> = Exclude<
  keyof RuntimeServices[Name],
  Name extends keyof StreamMethods ? StreamMethods[Name] : never
>

/** A parameter that is checked as the REST interface checks it: by the row of an operation. */
export interface CheckedParameter {
  readonly row: keyof AgentPlatformOperations
  /** Field of the row's body, or of its path, that the parameter stands for. @default the body */
  readonly field?: string
  readonly isInPath?: true
  /** What an error begins with, such as `Creating an agent`. */
  readonly attempt: string
  /** Its name, if it is a text: without types, an id is easily undefined. */
  readonly text?: string
}

/** A text by its name, or what the row of an operation checks. */
export type Parameter = string | CheckedParameter

const body = (row: CheckedParameter['row'], attempt: string) => ({ row, attempt })

/** The leading parameters of a method that must be texts. */
export function textsOf(parameters: readonly Parameter[]): readonly string[] {
  const names = parameters.map((each) => (typeof each === 'string' ? each : each.text))
  const end = names.indexOf(undefined)
  return (end < 0 ? names : names.slice(0, end)) as string[] // those before the first without a name
}

/**
 * The methods of each service, with their leading parameters that are checked when a host's own code calls them. One that is
 * left out does not compile.
 */
export const serviceMethods = {
  agents: {
    templates: [],
    list: [],
    get: ['id'],
    find: ['id'],
    create: [body('createAgent', 'Creating an agent')],
    update: ['id', body('updateAgent', 'Changing an agent')],
    put: [],
    versions: ['id'],
    restore: ['id'],
    codeTools: ['id'],
    delete: ['id'],
  },
  runs: {
    start: [body('runAgent', 'Running an agent')],
    attach: ['runId'],
    get: ['id'],
    find: ['id'],
    steps: ['id'],
    rerun: ['id'],
    undo: ['id'],
    findUndo: ['id'],
    list: [],
    countBySource: [],
    countByTime: [],
    countByCause: [],
    cancel: ['id'],
    message: ['id', body('sendRunMessage', 'Sending a message to a run')],
    // anything but `approve` would be a refusal
    decideApproval: ['runId', 'approvalId', body('decideApproval', 'Deciding an approval')],
    waits: [],
    answerWait: ['runId', 'waitId', body('answerWait', 'Answering a wait')],
    signal: [body('sendSignal', 'Sending a signal')],
    rememberedApprovals: ['agentId'],
    forgetApproval: ['agentId', 'id'],
    recover: [],
  },
  feedback: {
    set: ['runId', body('setRunFeedback', 'Rating a run')],
    delete: ['runId'],
    list: [],
  },
  whatIfs: {
    start: ['agentId', body('startWhatIf', 'Starting a what-if')],
    get: ['id'],
    finished: ['id'],
  },
  tasks: {
    create: [body('createTask', 'Creating a task')],
    get: ['id'],
    find: ['id'],
    list: [],
    cancel: ['id'],
    retry: ['id'],
  },
  graphs: {
    list: [],
    get: ['id'],
    find: ['id'],
    create: [body('createGraph', 'Creating a graph')],
    update: ['id', body('updateGraph', 'Changing a graph')],
    put: [],
    delete: ['id'],
    start: [body('runGraph', 'Running a graph')],
    rerun: ['runId'],
    run: [body('runGraph', 'Running a graph')],
  },
  schedules: {
    next: [],
    list: [],
    find: ['id'],
    create: [body('createSchedule', 'Creating a schedule')],
    update: ['id', body('updateSchedule', 'Changing a schedule')],
    delete: ['id'],
    run: ['id'],
    history: ['id'],
  },
  channels: {
    receive: ['channel'],
    status: ['channel'],
    setWebhook: ['channel', 'baseUrl'],
    messages: ['channel'],
    // anything but `resend` would give the answer up
    resolve: [
      'channel',
      'messageId',
      { ...body('resolveChannelMessage', 'Resolving an answer'), field: 'decision' },
    ],
    send: ['channel', body('sendChannelMessage', 'Sending a message')],
    routes: ['channel'],
    setRoutes: ['channel', { ...body('setChannelRoutes', 'Setting routes'), field: 'routes' }],
    senders: ['channel'],
    setSender: [
      'channel',
      { ...body('setChannelSender', 'Changing a sender'), field: 'id', isInPath: true, text: 'senderId' },
      body('setChannelSender', 'Changing a sender'),
    ],
    pair: ['channel', { ...body('pairChannelSender', 'Pairing a sender'), field: 'code', text: 'code' }],
  },
  conversations: {
    list: [],
    get: ['id'],
    append: [body('appendMessage', 'Appending a message')],
    rename: ['id'],
    delete: ['id'],
    summarize: ['id'],
    storedId: ['id'],
  },
  responses: { save: [], find: ['id'], delete: ['id'] },
  files: { get: ['id'] },
  memory: {
    write: [body('writeMemory', 'Writing a memory')],
    search: [body('searchMemoryByBody', 'Searching memories')],
    list: [],
    find: ['id'],
    delete: ['id'],
    embed: [],
  },
  collections: {
    create: [body('createCollection', 'Creating a collection')],
    list: [],
    get: ['id'],
    find: ['id'],
    update: ['id', body('updateCollection', 'Changing a collection')],
    delete: ['id'],
    add: ['id', body('addDocuments', 'Adding a document')],
    upload: ['id'],
    documents: ['id'],
    document: ['id', 'documentId'],
    deleteDocument: ['id', 'documentId'],
    search: ['id'],
  },
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
  settings: { read: [], view: [], update: [body('updateSettings', 'Changing the settings')] },
  models: {
    list: [],
    listProviders: [],
    saveProvider: ['name', body('saveModelProvider', 'Saving the model provider')],
    deleteProvider: ['name'],
  },
  mcp: {
    list: [],
    save: [
      { ...body('saveMcpServer', 'Saving the MCP server'), field: 'name', isInPath: true, text: 'name' },
      body('saveMcpServer', 'Saving the MCP server'),
    ],
    delete: ['name'],
    test: ['name'],
    authorize: ['name', body('authorizeMcpServer', 'Authorizing an MCP server')],
    finishAuthorization: [body('finishMcpAuthorization', 'Authorizing an MCP server')],
    clientMetadata: [],
    logins: ['name'],
    deleteLogin: ['name', 'userId'],
  },
  logs: { list: [], lastSeq: [] },
  usage: { report: [], backlog: [] },
  prices: { list: [], save: ['model', body('savePrice', 'Saving a price')], delete: ['model'] },
  webhooks: {
    create: [body('createWebhook', 'Creating the webhook')],
    list: [],
    get: ['id'],
    update: ['id', body('updateWebhook', 'Changing the webhook')],
    delete: ['id'],
    test: ['id'],
    deliveries: ['id'],
  },
  triggers: {
    create: [body('createTrigger', 'Creating a trigger')],
    list: [],
    get: ['id'],
    update: ['id', body('updateTrigger', 'Changing a trigger')],
    delete: ['id'],
    deliveries: ['id'],
    receive: ['id'],
  },
  tokens: { create: [body('createToken', 'Creating a token')], list: [], delete: ['id'], verify: ['secret'] },
  audit: { list: [], record: [], settle: [] },
} as const satisfies {
  readonly [Name in keyof RuntimeServices]: Readonly<Record<AsyncMethods<Name>, readonly Parameter[]>>
}
