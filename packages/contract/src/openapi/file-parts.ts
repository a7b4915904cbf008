import type { OperationHeader } from '../operation.ts'

/** Headers by which a caller asks for a part of a file, or for one that it does not have. */
export const partRequestHeaders: readonly OperationHeader[] = [
  {
    name: 'Range',
    description:
      'One part of the file: `bytes=first-last`, `bytes=first-` or `bytes=-count`. The response is 206. For several parts, or an invalid part, the response is the whole file.',
  },
  {
    name: 'If-Range',
    description: 'The `ETag` of an earlier response. `Range` applies only if the file has not changed.',
  },
  {
    name: 'If-None-Match',
    description:
      'The `ETag` of an earlier response. If the file has not changed, the response is 304 without a body.',
  },
]

/** What an answer with a file tells a caller that may ask for parts. */
export const partReplyHeaders: readonly OperationHeader[] = [
  {
    name: 'Accept-Ranges',
    description: '`bytes`, or `none` if the file store supports whole files only.',
  },
  { name: 'ETag', description: 'Strong tag of these bytes.' },
]
