import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Graph, GraphInput, GraphPatch, GraphRunRequest, GraphRunResult } from './graph.ts'
import { idempotencyHeader, resumeHeader, sourceHeader, streamFormat } from './start-options.ts'
import { Done, Slug } from './values.ts'

const byId = z.object({ id: Slug })
const changed = z.object({ ok: z.literal(true), graph: Graph })

/** Graphs of agents. */
export const graphOperations = {
  listGraphs: {
    method: 'GET',
    path: '/api/graphs',
    auth: 'local',
    scope: 'read',
    summary: 'Lists the graphs, oldest first.',
    source: 'Other route families; A10',
    reply: z.object({ graphs: z.array(Graph) }),
  },
  createGraph: {
    method: 'POST',
    path: '/api/graphs',
    auth: 'local',
    scope: 'admin',
    summary: 'Checks a graph, and creates it if it is valid.',
    source: 'Other route families; A10',
    body: GraphInput,
    status: 201,
    reply: changed,
    errors: [409],
  },
  getGraph: {
    method: 'GET',
    path: '/api/graphs/{id}',
    auth: 'local',
    scope: 'read',
    summary: 'Returns a graph.',
    source: 'A10',
    params: byId,
    reply: z.object({ graph: Graph }),
    errors: [404],
  },
  updateGraph: {
    method: 'PUT',
    path: '/api/graphs/{id}',
    auth: 'local',
    scope: 'admin',
    summary: 'Changes a graph. Absent fields keep their value.',
    source: 'A10',
    params: byId,
    body: GraphPatch,
    reply: changed,
    errors: [404],
  },
  deleteGraph: {
    method: 'DELETE',
    path: '/api/graphs/{id}',
    auth: 'local',
    scope: 'admin',
    summary: 'Deletes a graph. Its runs that are under way continue.',
    source: 'A10',
    params: byId,
    reply: Done,
    errors: [404],
  },
  runGraph: {
    method: 'POST',
    path: '/api/graphs/run',
    auth: 'local',
    scope: 'run',
    summary: 'Runs a graph, and responds when the run has ended or waits for a person.',
    source: 'Other route families; A10',
    body: GraphRunRequest,
    headers: [idempotencyHeader, sourceHeader],
    reply: GraphRunResult,
    errors: [404, 409],
  },
  streamGraphRun: {
    method: 'POST',
    path: '/api/graphs/run/stream',
    auth: 'local',
    scope: 'run',
    summary: 'Runs a graph and streams what happens as server-sent events.',
    source: 'A6, A10',
    query: streamFormat,
    body: GraphRunRequest,
    headers: [idempotencyHeader, resumeHeader, sourceHeader],
    reply: 'events',
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
