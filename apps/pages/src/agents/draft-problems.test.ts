import { expect, it } from 'vitest'
import { modelProblem } from './agent-form.tsx'

it('refuses a model that names no provider, unless the provider is chosen beside it', () => {
  for (const model of ['gpt-5', 'openai/', '/gpt-5'])
    expect(modelProblem({ model, provider: '' }).model).toContain(`"${model}" names no provider`)
  for (const model of ['', 'openai/gpt-5', 'local/library/llama'])
    expect(modelProblem({ model, provider: '' })).toEqual({})
  expect(modelProblem({ model: 'gpt-5', provider: 'openai' })).toEqual({})
})
