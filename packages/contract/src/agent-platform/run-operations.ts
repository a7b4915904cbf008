import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { StreamRequest } from './chat-request.ts'
import {
  Approval,
  ApprovalDecision,
  Run,
  RunMessageMode,
  RunMessageRequest,
  RunRequest,
  RunResult,
  RunStatus,
} from './run.ts'
import { AmountString, FailureCause, RunSort, RunTime } from './run-list.ts'
import { RunSource } from './run-source.ts'
import {
  bodyWithFiles,
  idempotencyHeader,
  resumeHeader,
  sourceHeader,
  streamFormat,
  workAllowances,
} from './start-options.ts'
import { RerunRequest, TraceStep } from './trace.ts'
import { limitParameter, PageCursor, PlatformId, shortText, Slug, Timestamp } from './values.ts'
import { ListedWait, Wait, WaitAnswer, WaitKind, WaitStatus } from './wait.ts'
import { undoOperations } from './undo.ts'
import { Task, TaskRequest, TaskStatus } from './task.ts'

const byRunId = z.object({ id: PlatformId })
/** What a request for a run is about. */
export const runSubject = {
  agent: 'body.agent_id',
  user: 'body.user_id',
  conversation: 'body.conversation_id',
  allow: { ...workAllowances, messages: ['body.messages'], model_settings: ['body.model_settings'] },
} as const
const ofUser = { field: 'user_id', filter: 'query.user_id' } as const

/** Runs, their streams and their approvals. */
export const runOperations = {
  runAgent: {
    method: 'POST',
    path: '/api/agents/run',
    auth: 'local',
    scope: 'run',
    subject: runSubject,
    summary: 'Runs an agent, and responds when the run has ended or waits for a person.',
    source: 'Agent API; A4, A5',
    body: RunRequest,
    ...bodyWithFiles,
    headers: [idempotencyHeader, sourceHeader],
    reply: RunResult,
    errors: [404, 409, 502, 504],
  },
  streamAgentRun: {
    method: 'POST',
    path: '/api/agents/run/stream',
    auth: 'local',
    scope: 'run',
    subject: runSubject,
    summary: 'Runs an agent and streams what happens as server-sent events.',
    source: 'Agent API; A6',
    query: streamFormat,
    body: StreamRequest,
    ...bodyWithFiles,
    headers: [idempotencyHeader, resumeHeader, sourceHeader],
    reply: 'events',
    errors: [404, 409],
  },
  getFile: {
    method: 'GET',
    path: '/api/files/{id}',
    auth: 'local',
    scope: 'read',
    subject: { found: 'file', id: 'params.id', user: 'own' },
    summary: 'Returns the bytes of a file that a message or a result refers to.',
    source: 'A4',
    params: byRunId,
    reply: 'bytes',
    errors: [404],
  },
  listRuns: {
    method: 'GET',
    path: '/api/runs',
    auth: 'local',
    scope: 'read',
    subject: {
      rows: 'runs',
      agent: 'agent_id',
      graph: 'graph_id',
      user: ofUser,
      conversation: 'query.conversation_id',
      without: ['counts', 'times', 'causes'],
    },
    summary: 'Lists runs: newest first, or as `sort` says.',
    source: 'A4',
    query: z.object({
      agent_id: z.optional(Slug),
      graph_id: z.optional(Slug),
      user_id: z.optional(PlatformId),
      /** Runs that this run started. */
      parent_run_id: z.optional(PlatformId),
      conversation_id: z.optional(PlatformId),
      status: z.optional(RunStatus),
      source: z.optional(RunSource),
      /** Runs with feedback, for a caller for one user its own: `up` or `down`, or `any`. */
      feedback: z.optional(z.enum(['up', 'down', 'any'])),
      /**
       * Words that must all occur in the task or the output, in any order. `*` at the end finds words that begin like the last
       * one: `invoic*`. Only the first 20,000 characters of each are searched.
       */
      q: z.optional(shortText(500)),
      /** Runs that were created at this time or later. */
      from: z.optional(Timestamp),
      /** Runs that were created before this time. */
      to: z.optional(Timestamp),
      /** Default `-created_at`. */
      sort: z.optional(RunSort),
      /** Only ended runs that cost at least this much, in US dollars. */
      min_cost: z.optional(AmountString),
      /**
       * `source` adds `counts`: how many runs match for each source. `time` adds `times`: how many runs were created when, by status.
       * `cause` adds `causes`: why runs failed.
       */
      count: z.optional(z.enum(['source', 'time', 'cause'])),
      limit: limitParameter(500),
      cursor: z.optional(PageCursor),
    }),
    reply: z.object({
      runs: z.array(Run),
      /**
       * With `count=source`: the runs of each source that match all filters but `source`, among the newest 10,000. Absent for a token
       * that is limited to some agents.
       */
      counts: z.optional(z.object({ source: z.partialRecord(RunSource, z.int()) })),
      /**
       * With `count=time`: the newest 10,000 runs that match, by when they were created, oldest first. Times without a run are left out.
       * Absent for a token that is limited to some agents.
       */
      times: z.optional(z.array(RunTime)),
      /**
       * With `count=cause`: the newest 10,000 failed runs that match all filters but `status`, by cause: the 100 causes with most runs.
       * Absent for a token that is limited to some agents.
       */
      causes: z.optional(z.array(FailureCause)),
      next_cursor: z.optional(PageCursor),
    }),
  },
  getRun: {
    method: 'GET',
    path: '/api/runs/{id}',
    auth: 'local',
    scope: 'read',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    summary: 'Returns a run. If it has ended or waits for a person, the result is included.',
    source: 'A4',
    params: byRunId,
    reply: z.object({ run: Run }),
    errors: [404],
  },
  listRunSteps: {
    method: 'GET',
    path: '/api/runs/{id}/steps',
    auth: 'local',
    scope: 'read',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    summary:
      'Lists every step of a run in order, also during the run: model calls and tool calls, or the nodes of a graph.',
    source: 'A4; additions 6',
    params: byRunId,
    query: z.object({
      /** `id` of a model call: its step gets `prompt`, with everything that the model read. 403 for users of agents. */
      prompt: z.optional(z.string().check(z.minLength(1), z.maxLength(200))),
    }),
    reply: z.object({ steps: z.array(TraceStep) }),
    errors: [404],
  },
  rerun: {
    method: 'POST',
    path: '/api/runs/{id}/rerun',
    auth: 'local',
    scope: 'run',
    subject: 'rule',
    summary:
      'Runs the task of a run again, from its start, from one of its steps or, for a graph, from its failed node, and responds when the new run is stored. 200 if an earlier request with the same key did so.',
    source: 'A4; additions 6',
    params: byRunId,
    body: RerunRequest,
    optionalBody: true,
    headers: [idempotencyHeader],
    status: 202,
    repeatStatus: 200,
    reply: z.object({ run: Run }),
    errors: [404, 409],
  },
  ...undoOperations,
  streamRunEvents: {
    method: 'GET',
    path: '/api/runs/{id}/events',
    auth: 'local',
    scope: 'read',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    summary:
      'Streams the events of a run from the first one, or after `Last-Event-ID`. This works after a restart of the server too.',
    source: 'A6',
    params: byRunId,
    query: streamFormat,
    headers: [resumeHeader],
    reply: 'events',
    errors: [404],
  },
  cancelRun: {
    method: 'POST',
    path: '/api/runs/{id}/cancel',
    auth: 'local',
    scope: 'run',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    summary: 'Stops a run. A run that has ended does not change.',
    source: 'A6',
    params: byRunId,
    reply: z.object({ ok: z.literal(true), run: Run }),
    errors: [404],
  },
  sendRunMessage: {
    method: 'POST',
    path: '/api/runs/{id}/messages',
    auth: 'local',
    scope: 'run',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    summary: "Sends a message to an agent's run that works or waits. A run that has ended is 409.",
    source: 'additions 2, 1.7',
    params: byRunId,
    body: RunMessageRequest,
    headers: [idempotencyHeader],
    status: 202,
    reply: z.object({
      ok: z.literal(true),
      message: z.object({ id: PlatformId, mode: RunMessageMode }),
    }),
    errors: [404, 409],
  },
  decideApproval: {
    method: 'POST',
    path: '/api/runs/{id}/approvals/{approval_id}',
    auth: 'local',
    scope: 'approve',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    audit: {
      action: 'approval.decided',
      target: '{params.id}/{params.approval_id}',
      details: ['decision', 'remember'],
    },
    summary:
      'Decides about a tool call that waits. When no call of the run waits any more, the run continues.',
    source: 'A20',
    params: z.object({ id: PlatformId, approval_id: PlatformId }),
    body: ApprovalDecision,
    reply: z.object({ ok: z.literal(true), approval: Approval }),
    errors: [404, 409],
  },
  listWaits: {
    method: 'GET',
    path: '/api/waits',
    auth: 'local',
    scope: 'read',
    subject: {
      rows: 'waits',
      agent: 'agent_id',
      graph: 'graph_id',
      user: { field: 'user_id', filter: 'query.user_id' },
    },
    summary: 'Lists what runs wait for, newest first.',
    source: 'second additions 1.1',
    query: z.object({
      /** Default `open`. */
      status: z.optional(WaitStatus),
      kind: z.optional(WaitKind),
      agent_id: z.optional(Slug),
      /** The run that asked: for a run below another one, not the run that was started. */
      run_id: z.optional(PlatformId),
      user_id: z.optional(PlatformId),
      limit: limitParameter(500),
      cursor: z.optional(PageCursor),
    }),
    reply: z.object({ waits: z.array(ListedWait), next_cursor: z.optional(PageCursor) }),
  },
  answerWait: {
    method: 'POST',
    path: '/api/runs/{id}/waits/{wait_id}',
    auth: 'local',
    scope: 'approve',
    subject: { found: 'run', id: 'params.id', user: 'own' },
    audit: {
      action: 'wait.settled',
      target: '{params.id}/{params.wait_id}',
      details: ['decline', 'data.decision'],
    },
    summary:
      'Answers what a run waits for, or declines to. When nothing of the run is open any more, the run continues. The same answer again changes nothing.',
    source: 'second additions 1.1',
    params: z.object({ id: PlatformId, wait_id: PlatformId }),
    body: WaitAnswer,
    reply: z.object({ ok: z.literal(true), wait: Wait }),
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>

const byTaskId = z.object({ id: PlatformId })
const oneTask = z.object({ task: Task })
const changedTask = z.object({ ok: z.literal(true), task: Task })

/** Tasks in the background. */
export const taskOperations = {
  createTask: {
    method: 'POST',
    path: '/api/tasks',
    auth: 'local',
    scope: 'run',
    subject: {
      ...runSubject,
      graph: 'body.graph_id',
      allow: { ...workAllowances, model_settings: ['body.model_settings'] },
    },
    summary: 'Queues a task for an agent or a graph. 200 if an earlier request with the same key did so.',
    source: 'Other route families; A7',
    body: TaskRequest,
    ...bodyWithFiles,
    headers: [idempotencyHeader],
    status: 202,
    repeatStatus: 200,
    reply: oneTask,
    errors: [404, 409],
  },
  listTasks: {
    method: 'GET',
    path: '/api/tasks',
    auth: 'local',
    scope: 'read',
    subject: {
      rows: 'tasks',
      single: { in: 'task', found: 'task', id: 'query.id' },
      agent: 'agent_id',
      graph: 'graph_id',
      user: ofUser,
    },
    summary: 'Lists tasks, newest first. With `id`, returns that task.',
    source: 'Other route families; A7',
    query: z.object({
      id: z.optional(PlatformId),
      agent_id: z.optional(Slug),
      graph_id: z.optional(Slug),
      user_id: z.optional(PlatformId),
      status: z.optional(TaskStatus),
      limit: limitParameter(500),
      cursor: z.optional(PageCursor),
    }),
    reply: z.union([z.object({ tasks: z.array(Task), next_cursor: z.optional(PageCursor) }), oneTask]),
    errors: [404],
  },
  getTask: {
    method: 'GET',
    path: '/api/tasks/{id}',
    auth: 'local',
    scope: 'read',
    subject: { found: 'task', id: 'params.id', user: 'own' },
    summary: 'Returns a task. If it has ended, the result is included.',
    source: 'A7',
    params: byTaskId,
    reply: oneTask,
    errors: [404],
  },
  cancelTask: {
    method: 'POST',
    path: '/api/tasks/{id}/cancel',
    auth: 'local',
    scope: 'run',
    subject: { found: 'task', id: 'params.id', user: 'own' },
    summary: 'Stops a task and its run. A task that has ended does not change.',
    source: 'A7',
    params: byTaskId,
    reply: changedTask,
    errors: [404],
  },
  retryTask: {
    method: 'POST',
    path: '/api/tasks/{id}/retry',
    auth: 'local',
    scope: 'run',
    subject: { found: 'task', id: 'params.id', user: 'own' },
    summary: 'Queues a failed task again. Its attempts are counted from zero.',
    source: 'A7',
    params: byTaskId,
    status: 202,
    reply: changedTask,
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
