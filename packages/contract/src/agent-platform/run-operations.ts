import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { StreamRequest } from './chat-request.ts'
import { Approval, ApprovalDecision, Run, RunRequest, RunResult, RunStatus } from './run.ts'
import { bodyWithFiles, idempotencyHeader, resumeHeader, streamFormat } from './start-options.ts'
import { limitText, PageCursor, PlatformId, Slug } from './values.ts'

const byId = z.object({ id: PlatformId })

/** Runs, their streams and their approvals (A4, A6, A20). */
export const runOperations = {
  runAgent: {
    method: 'POST',
    path: '/api/agents/run',
    auth: 'local',
    summary: 'Runs an agent and answers when it has stopped.',
    source: 'Agent API; A4, A5',
    body: RunRequest,
    ...bodyWithFiles,
    headers: [idempotencyHeader],
    reply: RunResult,
    errors: [404, 409, 502, 504],
  },
  streamAgentRun: {
    method: 'POST',
    path: '/api/agents/run/stream',
    auth: 'local',
    summary: 'Runs an agent and streams what happens as server-sent events.',
    source: 'Agent API; A6',
    query: streamFormat,
    body: StreamRequest,
    ...bodyWithFiles,
    headers: [idempotencyHeader, resumeHeader],
    reply: 'events',
    errors: [404, 409],
  },
  getFile: {
    method: 'GET',
    path: '/api/files/{id}',
    auth: 'local',
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
    summary: 'Lists runs, newest first.',
    source: 'A4',
    query: z.object({
      agent_id: z.optional(Slug),
      graph_id: z.optional(Slug),
      /** Runs that this one asked for. */
      parent_run_id: z.optional(PlatformId),
      conversation_id: z.optional(PlatformId),
      status: z.optional(RunStatus),
      limit: limitText(500),
      cursor: z.optional(PageCursor),
    }),
    reply: z.object({ runs: z.array(Run), next_cursor: z.optional(PageCursor) }),
  },
  getRun: {
    method: 'GET',
    path: '/api/runs/{id}',
    auth: 'local',
    summary: 'Gives one run, with its result once there is one.',
    source: 'A4',
    params: byId,
    reply: z.object({ run: Run }),
    errors: [404],
  },
  streamRunEvents: {
    method: 'GET',
    path: '/api/runs/{id}/events',
    auth: 'local',
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
    summary: 'Decides about a tool call that waits. Once no call of the run waits, the run continues.',
    source: 'A20',
    params: z.object({ id: PlatformId, approval_id: PlatformId }),
    body: ApprovalDecision,
    reply: z.object({ ok: z.literal(true), approval: Approval }),
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
