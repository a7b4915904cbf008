import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from '@homeward/agent-runtime'
import { createAgentPlatformHandler } from '@homeward/agent-runtime/server'
import { createRunMetrics } from '@homeward/agent-runtime/telemetry'
import { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import type { OperationExamples } from '@homeward/contract/examples'
import { createMeasures } from '../../apps/homeward/src/http/measure.ts'
import {
  recordAgents,
  recordAgui,
  recordOpenAi,
  recordResponses,
  recordRuns,
} from './platform/agents-and-runs.ts'
import { recordChannels } from './platform/channels.ts'
import { recordConversations, recordMemories } from './platform/conversations.ts'
import { answerAsOutside } from './platform/outside.ts'
import { animals, createOfficeModel, orderPaper } from './platform/office-model.ts'
import { recordKnowledge } from './platform/knowledge.ts'
import { recordMcp } from './platform/mcp.ts'
import { recordOperator } from './platform/operator.ts'
import { recordSkills } from './platform/skills.ts'
import { recordGraphs, recordSchedules, recordTasks } from './platform/work.ts'
import { createRecordedClock, createRecordedIds, createRecorder } from './recorder.ts'

/** Drives the handler of an agent platform through every operation, and gives one example of each. */
export async function recordAgentPlatform(): Promise<{
  readonly platform: OperationExamples
  readonly openai: OperationExamples
}> {
  await using stack = new AsyncDisposableStack()
  const home = await mkdtemp(join(tmpdir(), 'homeward-examples-'))
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const clock = createRecordedClock()
  const createId = createRecordedIds()
  const office = createOfficeModel(() => clock.advance(1))
  const runtime = createRuntime({
    home,
    models: { openai: () => office.model },
    embeddingModel: animals,
    tools: [orderPaper],
    seedFolder: join(import.meta.dirname, '../../apps/homeward/skills'),
    fetch: answerAsOutside,
    environment: {},
    platformOrigins: () => ['http://127.0.0.1:3010'],
    retry: { attempts: 0 },
    workers: { concurrency: 1 },
    timezone: 'Europe/Berlin',
    now: clock.now,
    createId,
    random: () => 0.5,
  })
  stack.defer(() => runtime.close())
  const measures = createMeasures()
  const runMetrics = createRunMetrics({ runtime, meter: measures.meter })
  stack.defer(() => runMetrics.close())
  const handler = createAgentPlatformHandler({
    runtime,
    auth: { kind: 'none' },
    metrics: measures.read,
    checkReplies: true,
    createRequestId: createId,
  })
  const respond = (request: Request) => handler.fetch(request, { remoteAddress: '127.0.0.1' })
  // requests that wait for something take no time: how many there are differs
  const tick = () => clock.advance(1)
  const recorder = createRecorder(agentPlatformOperations, respond, tick)
  const openai = createRecorder(openaiOperations, respond, tick)
  const hook = await startHook(stack)
  recorder.replace(hook, 'https://hooks.example.com/homeward')

  await recordAgents(recorder)
  await recordRuns(recorder, () => office.hold(), runtime)
  await recordOpenAi(openai)
  await recordTasks(recorder, runtime)
  await recordGraphs(recorder)
  await recordSchedules(recorder, runtime)
  await recordConversations(recorder)
  await recordMemories(recorder)
  await recordSkills(recorder)
  await recordChannels(recorder)
  await recordMcp(recorder, runtime)
  await recordOperator(recorder, hook)
  await recordResponses(openai)
  await recordAgui(recorder)
  await recordKnowledge(recorder, runtime)
  return { platform: recorder.examples(), openai: openai.examples() }
}

/** A program that gets webhooks. */
async function startHook(stack: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => new Promise((resolve) => server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/homeward`
}
