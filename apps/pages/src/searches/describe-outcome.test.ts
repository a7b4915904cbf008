import { expect, it } from 'vitest'
import { describeError } from '../components/text/describe-error.ts'
import { describeUnread } from './describe-outcome.ts'

it('says in a sentence what a search could not see', () => {
  expect(describeUnread(undefined)).toBeUndefined()
  expect(
    describeUnread([
      { scope: 'files', reason: 'missing_root', path: '/mnt/photos', count: 1 },
      { scope: 'files', reason: 'denied', path: '/home/ann', count: 1200 },
      { scope: 'content', reason: 'not_text', count: 2 },
      { scope: 'files', reason: 'a later reason', count: 1 },
    ]),
  ).toBe(
    'Not searched: 1 folder that is not there (/mnt/photos); 1,200 places that the device may not read (/home/ann); ' +
      '2 files that are not text; 1 place that could not be read.',
  )
})

it('says in a sentence that the owner of a device did not let a request go', () => {
  expect(describeError('consent_denied')).toBe('The owner of the device denied this request.')
  expect(describeError('consent_timeout')).toContain('did not answer in time')
  expect([describeError('policy_denied: x'), describeError(null)]).toEqual(['policy_denied: x', undefined])
})
