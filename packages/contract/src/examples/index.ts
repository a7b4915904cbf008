import type { OperationExamples } from '../operation-example.ts'
import agentPlatform from './agent-platform.json' with { type: 'json' }
import deviceCloud from './device-cloud.json' with { type: 'json' }
import openai from './openai.json' with { type: 'json' }

export type { OperationExample, OperationExamples } from '../operation-example.ts'

/** An example of every operation of the device cloud, recorded from its handler. */
export const deviceCloudExamples: OperationExamples = deviceCloud

/** An example of every operation of the agent platform, recorded from its handler. */
export const agentPlatformExamples: OperationExamples = agentPlatform

/** An example of every operation of the OpenAI-compatible endpoint, recorded from its handler. */
export const openaiExamples: OperationExamples = openai
