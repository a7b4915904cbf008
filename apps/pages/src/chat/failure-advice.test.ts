import { expect, it } from 'vitest'
import { adviseOn } from './failure-advice.ts'

it('advises by the status of the provider: wait for a busy one, check the key of one that rejects it', () => {
  const titleOf = (error: string, code = 'model_error') => adviseOn(code, 'demo', error).title
  const failed = (status: number) =>
    `Calling the model a/b failed: the provider responded with status ${status}: No.`
  expect([429, 401, 404, 503].map((status) => titleOf(failed(status)))).toEqual([
    'The model provider is busy',
    'The model provider rejects the API key',
    'The model was not found',
    'The model provider has a problem',
  ])
  expect(titleOf(failed(400))).toBe('The model did not answer')
  expect(titleOf(failed(429), 'timeout')).toBe('The run took too long')
})
