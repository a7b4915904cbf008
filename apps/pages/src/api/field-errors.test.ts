import { ClientError } from '@homeward/contract/client'
import { describe, expect, it } from 'vitest'
import { toFieldErrors } from './field-errors.ts'

const refused = (detail: string, status = 400) =>
  new ClientError('HTTP', `updateAgent failed: ${detail}`, { status, error: 'Validation error', detail })
const names = ['model', 'limits', 'limits.max_turns', 'schedule', 'timezone', 'skills']

describe('errors of a form', () => {
  it('stand at the fields that the server names', () => {
    expect(toFieldErrors(refused('model: must not be empty; limits.max_turns: Too small'), names)).toEqual({
      fields: { model: 'Must not be empty', 'limits.max_turns': 'Too small' },
      rest: undefined,
    })
    expect(
      toFieldErrors(
        refused('Changing an agent: schedule: has 4 fields instead of 5. Write 0 9 * * *.'),
        names,
      ),
    ).toEqual({
      fields: { schedule: 'Has 4 fields instead of 5. Write 0 9 * * *.' },
      rest: undefined,
    })
  })

  it('stand at the fields that a sentence quotes', () => {
    const detail = 'Changing an agent failed: "schedule" must have 5 fields, got 4; "skills.2": Too big'
    expect(toFieldErrors(refused(detail), names)).toEqual({
      fields: { schedule: 'Must have 5 fields, got 4', skills: 'Too big' },
      rest: undefined,
    })
  })

  it('stand at the field whose part is wrong', () => {
    expect(toFieldErrors(refused('skills[2]: Too big; limits.max_tokens: Too small'), names).fields).toEqual({
      skills: 'Too big',
      limits: 'Too small',
    })
  })

  it('say in plain words how long a text may be', () => {
    const detail = 'model: Too big: expected string to have <=200 characters'
    expect(toFieldErrors(refused(detail), names).fields).toEqual({ model: 'Use at most 200 characters.' })
    const short = 'timezone: Too small: expected string to have >=3 characters'
    expect(toFieldErrors(refused(short), names).fields).toEqual({ timezone: 'Use at least 3 characters.' })
  })

  it('are whole where a part belongs to no field', () => {
    const error = refused('model: Too big; and 2 more')
    expect(toFieldErrors(error, names)).toEqual({ fields: { model: 'Too big' }, rest: error })
  })

  it('are those of the form only when the server refused its values', () => {
    const conflict = refused('Creating an agent: "a" exists already.', 409)
    expect(toFieldErrors(conflict, names)).toEqual({ fields: {}, rest: conflict })
    const gone = new Error('gone')
    expect(toFieldErrors(gone, names)).toEqual({ fields: {}, rest: gone })
    expect(toFieldErrors(null, names)).toEqual({ fields: {}, rest: undefined })
  })
})
