import { jsonSchema } from 'ai'
import type { CreateContender } from '../../run-loop/contender.ts'
import { toolParameters } from '../../run-loop/task.ts'
import { createGenerateTextContender } from './create-generate-text-contender.ts'

/** `generateText` with a plain JSON Schema, against which the AI SDK checks nothing. */
export const createContender: CreateContender = async () =>
  createGenerateTextContender(jsonSchema<{ key: string }>({ ...toolParameters, required: ['key'] }))
