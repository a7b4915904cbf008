import { expect, it } from 'vitest'
import { toCollectionId } from './collection-form.tsx'
import { reasonIn } from './upload-documents.tsx'

it.each([
  ['{"error": "Validation error", "message": "name: too long"}', 400, 'name: too long'],
  ['<h1>Too large</h1>', 413, 'The file is too large for the server, or for a proxy before it.'],
  ['null', 502, 'The server answered with status 502.'],
])('says why the server rejected a file: %s', (body, status, reason) => {
  expect(reasonIn(body, status)).toBe(reason)
})

it('makes an id that reads like the name', () => {
  expect(toCollectionId(' Règles of the  house! ')).toBe('regles-of-the-house')
  expect(toCollectionId('規則')).toBe('')
})
