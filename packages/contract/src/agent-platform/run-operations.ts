import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { StreamRequest } from './chat-request.ts'
import { Approval, ApprovalDecision, Run, RunRequest, RunResult, RunStatus } from './run.ts'
import { AmountText, RunSort } from './run-list.ts'
import { RunSource } from './run-source.ts'
import {
  bodyWithFiles,
  idempotencyHeader,
  resumeHeader,
  sourceHeader,
  streamFormat,
} from './start-options.ts'
import { RerunRequest, TraceStep } from './trace.ts'
import { limitText, PageCursor, PlatformId, shortText, Slug, Timestamp } from './values.ts'

const byId = z.object({ id: PlatformId })

/** Runs, their streams and their approvals (A4, A6, A20). */
export const runOperations = {
  runAgent: {
    method: 'POST',
    path: '/api/agents/run',
    auth: 'local',
    scope: 'run',
    summary: 'Runs an agent and answers when it has stopped.',
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
    summary: 'Gives the bytes of a file that a message or a result refers to.',
    source: 'A4',
    params: byId,
    reply: 'bytes',
    errors: [404],
  },
  listRuns: {
    method: 'GET',
    path: '/api/runs',
    auth: 'local',
    scope: 'read',
    summary: 'Lists runs: newest first, or as `sort` says.',
    source: 'A4',
    query: z.object({
      agent_id: z.optional(Slug),
      graph_id: z.optional(Slug),
      /** Runs that this one asked for. */
      parent_run_id: z.optional(PlatformId),
      conversation_id: z.optional(PlatformId),
      status: z.optional(RunStatus),
      source: z.optional(RunSource),
      /**
       * Words that the task or the output holds, all of them, in any order. Of a long task or output its first 20,000
       * characters are searched.
       */
      q: z.optional(shortText(500)),
      /** Runs that were created at this time or later. */
      from: z.optional(Timestamp),
      /** Runs that were created before this time. */
      to: z.optional(Timestamp),
      /** Default `-created_at`. */
      sort: z.optional(RunSort),
      /** Runs that have ended and have cost at least so much, in US dollars. */
      min_cost: z.optional(AmountText),
      /** Adds `counts`: how many runs match for each source. */
      count: z.optional(z.literal('source')),
      limit: limitText(500),
      cursor: z.optional(PageCursor),
    }),
    reply: z.object({
      runs: z.array(Run),
      /**
       * With `count=source`: the runs of each source that match all filters but `source`, among the newest 10,000. Absent for a token
       * that is limited to some agents.
       */
      counts: z.optional(z.object({ source: z.partialRecord(RunSource, z.int()) })),
      next_cursor: z.optional(PageCursor),
    }),
  },
  getRun: {
    method: 'GET',
    path: '/api/runs/{id}',
    auth: 'local',
    scope: 'read',
    summary: 'Gives one run, with its result once there is one.',
    source: 'A4',
    params: byId,
    reply: z.object({ run: Run }),
    errors: [404],
  },
  listRunSteps: {
    method: 'GET',
    path: '/api/runs/{id}/steps',
    auth: 'local',
    scope: 'read',
    summary:
      'Lists every step of a run in order, also while it works: calls of models and tools, or the nodes of a graph.',
    source: 'A4; additions 6',
    params: byId,
    reply: z.object({ steps: z.array(TraceStep) }),
    errors: [404],
  },
  rerun: {
    method: 'POST',
    path: '/api/runs/{id}/rerun',
    auth: 'local',
    scope: 'run',
    summary:
      'Runs a task again, from its start or from one of its steps, and answers as soon as the run is stored. 200 when the same key did so before.',
    source: 'A4; additions 6',
    params: byId,
    body: RerunRequest,
    optionalBody: true,
    headers: [idempotencyHeader],
    status: 202,
    repeatStatus: 200,
    reply: z.object({ run: Run }),
    errors: [404, 409],
  },
  streamRunEvents: {
    method: 'GET',
    path: '/api/runs/{id}/events',
    auth: 'local',
    scope: 'read',
    summary: 'Streams the events of a run, from its first or behind `Last-Event-ID`, also after a restart.',
    source: 'A6',
    params: byId,
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
    summary: 'Stops a run; one that has ended stays as it is.',
    source: 'A6',
    params: byId,
    reply: z.object({ ok: z.literal(true), run: Run }),
    errors: [404],
  },
  decideApproval: {
    method: 'POST',
    path: '/api/runs/{id}/approvals/{approval_id}',
    auth: 'local',
    scope: 'approve',
    summary: 'Decides about a tool call that waits. Once no call of the run waits, the run continues.',
    source: 'A20',
    params: z.object({ id: PlatformId, approval_id: PlatformId }),
    body: ApprovalDecision,
    reply: z.object({ ok: z.literal(true), approval: Approval }),
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
