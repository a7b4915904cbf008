import type { Locks } from '@homeward/kit/postgres'
import type { ArgumentsOf, ResultOf } from '@homeward/kit/sql'
import type { RuntimeStore } from './ports/runtime-store.ts'
import { documentVerbs } from './document-verbs.ts'
import { inField, ofAcceptances, ofDelivery, ofTask, ofTasks, type VerbEvents } from './verb-events.ts'
import { scheduleVerbs } from './schedule-verbs.ts'
import * as locks from './verb-locks.ts'
import { triggerVerbs } from './trigger-verbs.ts'
import { webhookVerbs } from './webhook-verbs.ts'

/** The methods of a store that read and write its tables. */
export type RuntimeVerbs = Omit<RuntimeStore, 'subscribe' | 'isDurable' | 'close'>

/** A method that changes nothing. */
interface ReadVerb<Args extends readonly unknown[]> {
  readonly kind: 'read'
  /** How many arguments there are before the signal. */
  readonly args: Required<Args>['length']
  readonly events?: undefined
  readonly auditTarget?: undefined
}

/** A method that writes. */
interface WriteVerb<Args extends readonly unknown[], Result> {
  readonly kind: 'write'
  /** How many arguments there are before the signal. */
  readonly args: Required<Args>['length']
  /** What it has to itself, so that it is as good as alone, where several writes go on at once. */
  locks(...args: Args): Locks
  /** Present if the last argument is an entry of the audit: what the entry is about (A27). */
  auditTarget?(...args: Args): string
  /** Present if arguments hold events of the journal. */
  readonly events?: VerbEvents<Args, Result>
}

/** What the table says of one method. */
export type VerbOf<Verb> =
  ArgumentsOf<Verb> extends infer Args extends readonly unknown[]
    ? ReadVerb<Args> | WriteVerb<Args, ResultOf<Verb>>
    : never

/** What the table says of any method. */
export type StoreVerb = ReadVerb<readonly unknown[]> | WriteVerb<readonly unknown[], unknown>

/** What the entry of a change is about that takes the whole. */
const auditTarget = ({ id }: { readonly id: string }) => id

/**
 * All that is to be known of the methods of a store, once for every place that handles all of them: the adapters bind
 * their plans by it, Postgres takes the locks, and the runtime keeps secrets out of the journal by `events`.
 */
export const storeVerbs: { readonly [Name in keyof RuntimeVerbs]: VerbOf<RuntimeVerbs[Name]> } = {
  insertAgent: { kind: 'write', args: 2, locks: ({ id }) => locks.agentLocks(id), auditTarget },
  replaceAgent: { kind: 'write', args: 2, locks: ({ id }) => locks.agentLocks(id), auditTarget },
  deleteAgent: { kind: 'write', args: 2, locks: locks.agentLocks, auditTarget: (id) => id },
  findAgent: { kind: 'read', args: 1 },
  listAgents: { kind: 'read', args: 0 },
  listAgentVersions: { kind: 'read', args: 2 },
  findAgentVersion: { kind: 'read', args: 2 },
  saveAgentVersion: { kind: 'write', args: 2, locks: ({ id }) => locks.agentLocks(id) },
  deleteAgentVersions: { kind: 'write', args: 1, locks: locks.agentLocks },

  insertGraph: { kind: 'write', args: 2, locks: ({ id }) => locks.graphLocks(id), auditTarget },
  replaceGraph: { kind: 'write', args: 2, locks: ({ id }) => locks.graphLocks(id), auditTarget },
  deleteGraph: { kind: 'write', args: 2, locks: locks.graphLocks, auditTarget: (id) => id },
  findGraph: { kind: 'read', args: 1 },
  listGraphs: { kind: 'read', args: 0 },

  appendMessages: {
    kind: 'write',
    args: 1,
    locks: ({ conversationId }) => locks.appendLocks(conversationId),
  },
  findConversation: { kind: 'read', args: 1 },
  listConversations: { kind: 'read', args: 2 },
  listMessages: { kind: 'read', args: 2 },
  setConversationTitle: { kind: 'write', args: 3, locks: locks.conversationLocks },
  saveSummary: { kind: 'write', args: 3, locks: ({ id }) => locks.conversationLocks(id) },
  cutConversation: { kind: 'write', args: 3, locks: ({ id }) => locks.conversationLocks(id) },
  deleteConversation: { kind: 'write', args: 1, locks: locks.endConversationLocks },

  saveFiles: { kind: 'write', args: 1, locks: () => locks.fileLocks },
  findFile: { kind: 'read', args: 1 },

  writeMemory: { kind: 'write', args: 1, locks: () => locks.memoryLocks },
  findMemory: { kind: 'read', args: 1 },
  searchMemories: { kind: 'read', args: 1 },
  listMemories: { kind: 'read', args: 2 },
  deleteMemory: { kind: 'write', args: 1, locks: () => locks.memoryLocks },

  insertRun: {
    kind: 'write',
    args: 3,
    locks: locks.newRunLocks,
    events: {
      redact: ([run, lease, journal], { events }) => [run, lease, events(journal)],
      written: ([, , journal], { created }) => (created ? journal : []),
    },
  },
  saveRunStep: {
    kind: 'write',
    args: 1,
    locks: ({ runId }) => locks.runLocks(runId),
    events: inField((isSaved) => isSaved),
  },
  saveEffect: { kind: 'write', args: 1, locks: ({ runId }) => locks.runLocks(runId) },
  listEffects: { kind: 'read', args: 1 },
  finishRun: {
    kind: 'write',
    args: 1,
    locks: locks.finishLocks,
    events: inField((isFinished) => isFinished),
  },
  renewRuns: { kind: 'write', args: 2, locks: () => locks.manyRunsLocks },
  claimRuns: { kind: 'write', args: 1, locks: () => locks.claimRunsLocks },
  releaseRuns: { kind: 'write', args: 2, locks: () => locks.manyRunsLocks },
  requestRunCancel: { kind: 'write', args: 1, locks: locks.runLocks },
  settleWait: {
    kind: 'write',
    args: 1,
    locks: locks.settleWaitLocks,
    events: inField(({ outcome }) => outcome === 'settled'),
  },
  listWaits: { kind: 'read', args: 2 },
  listWaitsOf: { kind: 'read', args: 1 },
  listUnannounced: { kind: 'read', args: 1 },
  announceApproval: { kind: 'write', args: 1, locks: locks.announceLocks },
  listClosableNotices: { kind: 'read', args: 1 },
  closeNotice: { kind: 'write', args: 1, locks: locks.closeNoticeLocks },
  findChatNotices: { kind: 'read', args: 2 },
  listDueWaits: { kind: 'read', args: 2 },
  findRememberedCalls: { kind: 'read', args: 1 },
  listRememberedCalls: { kind: 'read', args: 1 },
  forgetRememberedCalls: { kind: 'write', args: 1, locks: locks.rememberLocks },
  resumeRun: { kind: 'write', args: 2, locks: locks.runLocks },
  findRun: { kind: 'read', args: 1 },
  listRuns: { kind: 'read', args: 2 },
  countRunSources: { kind: 'read', args: 1 },
  countRunTimes: { kind: 'read', args: 1 },
  countFailures: { kind: 'read', args: 1 },
  listRunMessages: { kind: 'read', args: 1 },
  listRunSpans: { kind: 'read', args: 1 },
  listRunEvents: { kind: 'read', args: 2 },
  saveFeedback: { kind: 'write', args: 1, locks: ({ runId }) => locks.runLocks(runId) },
  deleteFeedback: { kind: 'write', args: 1, locks: ({ runId }) => locks.runLocks(runId) },
  listFeedback: { kind: 'read', args: 1 },
  insertRunInput: {
    kind: 'write',
    args: 1,
    locks: locks.inputLocks,
    events: inField((stored) => typeof stored === 'object' && stored.isNew),
  },
  listRunInputs: { kind: 'read', args: 1 },
  insertSignal: { kind: 'write', args: 1, locks: ({ id }) => locks.signalLocks(id) },
  listSignalWaits: { kind: 'read', args: 2 },
  settleSignal: { kind: 'write', args: 1, locks: ({ id }) => locks.signalLocks(id) },
  listUndelivered: { kind: 'read', args: 1 },
  listKeptSignals: { kind: 'read', args: 3 },
  saveResponse: { kind: 'write', args: 1, locks: ({ id }) => locks.responseLocks(id) },
  findResponse: { kind: 'read', args: 2 },
  deleteResponse: { kind: 'write', args: 1, locks: locks.responseLocks },

  reserveBudget: { kind: 'write', args: 1, locks: locks.reserveLocks },
  settleBudget: { kind: 'write', args: 1, locks: ({ id }) => locks.settleBudgetLocks(id) },
  readBudget: { kind: 'read', args: 1 },

  insertTask: {
    kind: 'write',
    args: 2,
    locks: locks.newTaskLocks,
    events: {
      redact: ([task, journal], { events }) => [task, events(journal)],
      written: ([, journal], { created }) => (created ? journal : []),
    },
  },
  claimTasks: {
    kind: 'write',
    args: 1,
    locks: () => locks.queueLocks,
    events: ofTasks((claimed) => claimed),
  },
  renewTasks: { kind: 'write', args: 2, locks: () => locks.queueLocks },
  setTaskRun: { kind: 'write', args: 3, locks: locks.taskRowLocks },
  settleTask: {
    kind: 'write',
    args: 1,
    locks: ({ id }) => locks.settleTaskLocks(id),
    events: ofTasks((settled) => (settled ? [settled] : [])),
  },
  reclaimTasks: {
    kind: 'write',
    args: 1,
    locks: () => locks.queueLocks,
    events: ofTasks((reclaimed) => reclaimed),
  },
  cancelTask: {
    kind: 'write',
    args: 3,
    locks: () => locks.queueLocks,
    events: ofTask((cancelled) => (cancelled.outcome === 'cancelled' ? [cancelled.task] : [])),
  },
  retryTask: {
    kind: 'write',
    args: 3,
    locks: () => locks.retryTaskLocks,
    events: ofTask((retried) => (retried ? [retried] : [])),
  },
  findTask: { kind: 'read', args: 1 },
  listTasks: { kind: 'read', args: 2 },
  listSettleableTasks: { kind: 'read', args: 1 },
  nextTaskTime: { kind: 'read', args: 0 },

  ...scheduleVerbs,

  acceptMessages: { kind: 'write', args: 1, locks: locks.acceptLocks, events: ofAcceptances },
  saveLoadedInput: { kind: 'write', args: 1, locks: locks.loadedInputLocks },
  claimDeliveries: { kind: 'write', args: 1, locks: () => locks.deliveriesLocks },
  sendChannelMessage: { kind: 'write', args: 1, locks: locks.sendLocks },
  renewDeliveries: { kind: 'write', args: 2, locks: () => locks.deliveriesLocks },
  saveDelivery: { kind: 'write', args: 1, locks: locks.saveDeliveryLocks, events: ofDelivery },
  resolveChannelMessage: { kind: 'write', args: 1, locks: ({ id }) => locks.deliveryLocks(id) },
  findChannelMessage: { kind: 'read', args: 1 },
  listChannelMessages: { kind: 'read', args: 2 },
  countChannelMessages: { kind: 'read', args: 1 },
  claimPolling: { kind: 'write', args: 3, locks: locks.pollLocks },
  releasePolling: { kind: 'write', args: 2, locks: locks.pollLocks },
  findChannelSenders: { kind: 'read', args: 2 },
  findSenderByCode: { kind: 'read', args: 2 },
  listChannelSenders: { kind: 'read', args: 1 },
  decideChannelSender: {
    kind: 'write',
    args: 2,
    locks: locks.senderLocks,
    auditTarget: ({ channel, id }) => `${channel}/${id}`,
    events: inField((sender) => sender !== undefined),
  },
  findChat: { kind: 'read', args: 2 },
  setChannelRoutes: { kind: 'write', args: 3, locks: locks.routeLocks, auditTarget: (channel) => channel },
  listChannelRoutes: { kind: 'read', args: 1 },
  findChannelRoutes: { kind: 'read', args: 2 },
  findChatConversation: { kind: 'read', args: 1 },
  findChatWork: { kind: 'read', args: 1 },

  insertToken: { kind: 'write', args: 3, locks: () => locks.tokenLocks, auditTarget: ({ id }) => id },
  findToken: { kind: 'read', args: 1 },
  findTokenByHash: { kind: 'read', args: 1 },
  listTokens: { kind: 'read', args: 0 },
  touchToken: { kind: 'write', args: 2, locks: () => locks.none },
  deleteToken: { kind: 'write', args: 2, locks: () => locks.tokenLocks, auditTarget: (id) => id },
  appendAudit: { kind: 'write', args: 1, locks: () => locks.none },
  settleAudit: { kind: 'write', args: 1, locks: () => locks.none },
  listAudit: { kind: 'read', args: 2 },

  appendEvents: {
    kind: 'write',
    args: 1,
    locks: () => locks.eventLocks,
    events: {
      redact: ([given], { events }) => [events(given)],
      written: ([given]) => given,
    },
  },
  lastEventSeq: { kind: 'read', args: 0 },
  listEvents: { kind: 'read', args: 1 },
  sumUsage: { kind: 'read', args: 1 },
  readBacklog: { kind: 'read', args: 1 },
  prune: { kind: 'write', args: 1, locks: () => locks.pruneLocks },

  insertWhatIf: { kind: 'write', args: 2, locks: () => ({ alone: ['what-ifs'] }) },
  claimWhatIf: { kind: 'write', args: 1, locks: () => ({ alone: ['what-ifs'] }) },
  saveWhatIf: { kind: 'write', args: 1, locks: () => ({ alone: ['what-ifs'] }) },
  findWhatIf: { kind: 'read', args: 1 },

  ...webhookVerbs,
  ...triggerVerbs,
  ...documentVerbs,
}
