import * as z from 'zod'
import type { CreateContender } from '../../run-loop/contender.ts'
import { createGenerateTextContender } from './create-generate-text-contender.ts'

/** `generateText` with a schema of zod, as the documentation of the AI SDK shows it: it checks arguments. */
export const createContender: CreateContender = async () =>
  createGenerateTextContender(z.object({ key: z.string() }))
