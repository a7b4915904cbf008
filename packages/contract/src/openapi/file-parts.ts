import type { OperationHeader } from '../operation.ts'

/** Headers by which a caller asks for a part of a file, or for one that it does not have. */
export const partRequestHeaders: readonly OperationHeader[] = [
  {
    name: 'Range',
    description:
      'One part of the file, `bytes=first-last`, `bytes=first-` or `bytes=-count`: it comes with 206. Several parts, and what is no part, are answered with the whole file.',
  },
  {
    name: 'If-Range',
    description: 'The `ETag` of an earlier answer: `Range` counts only if the file is still that one.',
  },
  {
    name: 'If-None-Match',
    description: 'The `ETag` of an earlier answer: if the file is still that one, 304 comes without it.',
  },
]

/** What an answer with a file tells a caller that may ask for parts. */
export const partReplyHeaders: readonly OperationHeader[] = [
  {
    name: 'Accept-Ranges',
    description: '`bytes`, or `none` where the store of files gives whole files only.',
  },
  { name: 'ETag', description: 'Names these bytes; strong.' },
]
