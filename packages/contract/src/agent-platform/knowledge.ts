import * as z from 'zod/mini'
import { fileBytes } from '../file-bytes.ts'
import { JsonObject } from '../json-value.ts'
import type { Operation } from '../operation.ts'
import {
  clearable,
  CustomId,
  Done,
  GivenMetadata,
  limitParameter,
  orAbsent,
  PageCursor,
  PlatformId,
  shortText,
  Slug,
} from './values.ts'

/** Maximum size of a document in bytes. */
export const maxDocumentBytes = 64 * 1024 * 1024

/** A collection of documents. */
export const Collection = z.object({
  id: Slug,
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  /** Whether each document belongs to one user and is found only for that user. */
  per_user: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Collection = z.infer<typeof Collection>

const description = z.string().check(z.maxLength(2000))

/** A new collection. */
export const NewCollection = z.object({
  id: Slug,
  name: orAbsent(shortText(200)),
  /** Description for the agents that have the collection. */
  description: orAbsent(description),
  /** Whether each document belongs to one user. Cannot change while the collection has documents. Default false. */
  per_user: orAbsent(z.boolean()),
})
export type NewCollection = z.infer<typeof NewCollection>

/** A change of a collection. Absent fields keep their value; `null` and the empty string clear it. */
export const CollectionUpdate = z.object({
  name: clearable(shortText(200)),
  description: clearable(description),
  per_user: orAbsent(z.boolean()),
})
export type CollectionUpdate = z.infer<typeof CollectionUpdate>

/** A document of a collection. */
export const CollectionDocument = z.object({
  id: PlatformId,
  name: z.string(),
  media_type: z.string(),
  /** Size in bytes. */
  bytes: z.int(),
  /** SHA-256 of the bytes in hexadecimal digits. */
  sha256: z.string(),
  /** Status. `queued`: the text is not read yet. Only documents that are `ready` are found. */
  status: z.enum(['queued', 'ready', 'failed']),
  /** Reason for the failure. */
  error: z.optional(z.string()),
  /** Number of searchable passages. Present once the document is ready. */
  chunks: z.optional(z.int()),
  /** Pages of a PDF, or slides of a presentation. */
  pages: z.optional(z.int()),
  user_id: z.optional(PlatformId),
  metadata: z.optional(JsonObject),
  created_at: z.string(),
})
export type CollectionDocument = z.infer<typeof CollectionDocument>

/** Media type such as `application/pdf`. */
const mediaType = z.string().check(z.minLength(1), z.maxLength(200))

/** Fields that apply to all files of an upload. */
export const DocumentUpload = z.object({
  /** The user to whom the documents belong. Only for a collection with `per_user`. */
  user_id: orAbsent(CustomId),
  /** Stored with each document. At most 65,536 characters as JSON. */
  metadata: orAbsent(GivenMetadata),
})
export type DocumentUpload = z.infer<typeof DocumentUpload>

/** A new document with either `text` or `data`. */
export const DocumentInput = z
  .object({
    /** File name. Without `media_type`, its extension decides the format. */
    name: shortText(200),
    media_type: orAbsent(mediaType),
    text: orAbsent(z.string().check(z.minLength(1))),
    /** The bytes in base64, at most 64 MiB before encoding. */
    data: orAbsent(fileBytes(maxDocumentBytes)),
    ...DocumentUpload.shape,
  })
  .check(
    z.refine(({ text, data }) => (text === undefined) !== (data === undefined), {
      error: 'exactly one of text and data is needed',
    }),
  )
export type DocumentInput = z.infer<typeof DocumentInput>

/** A matching passage. A higher `score` is a better match. */
export const DocumentSearchResult = z.object({
  document_id: PlatformId,
  name: z.string(),
  text: z.string(),
  /** Page of a PDF, or slide of a presentation, counted from 1. */
  page: z.optional(z.int()),
  /** The heading above the passage, in Markdown, HTML and DOCX. */
  heading: z.optional(z.string()),
  score: z.number(),
})
export type DocumentSearchResult = z.infer<typeof DocumentSearchResult>

const byId = z.object({ id: Slug })
const byDocumentId = z.object({ id: Slug, document_id: PlatformId })
/** Of a collection with `per_user`. Absent: documents of all users. */
const ofUser = { user_id: z.optional(PlatformId) }
const source = 'additions 2, 5'
const saved = z.object({ ok: z.literal(true), collection: Collection })

/** Operations on collections of documents that agents search. */
export const knowledgeOperations = {
  createCollection: {
    method: 'POST',
    path: '/api/collections',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'collection.created', target: '{body.id}', details: 'names' },
    summary: 'Creates a collection of documents. There are at most 1,000.',
    source,
    body: NewCollection,
    status: 201,
    reply: saved,
    errors: [409],
  },
  listCollections: {
    method: 'GET',
    path: '/api/collections',
    auth: 'local',
    scope: 'read',
    subject: 'rule',
    summary: 'Lists the collections by their ids. A caller for one user gets those with `per_user` only.',
    source,
    reply: z.object({ collections: z.array(Collection) }),
  },
  getCollection: {
    method: 'GET',
    path: '/api/collections/{id}',
    auth: 'local',
    scope: 'read',
    subject: 'rule',
    summary: 'Returns a collection.',
    source,
    params: byId,
    reply: z.object({ collection: Collection }),
    errors: [404],
  },
  updateCollection: {
    method: 'PUT',
    path: '/api/collections/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'collection.updated', details: 'names' },
    summary: 'Changes a collection. `per_user` cannot change while the collection has documents.',
    source,
    params: byId,
    body: CollectionUpdate,
    reply: saved,
    errors: [404, 409],
  },
  deleteCollection: {
    method: 'DELETE',
    path: '/api/collections/{id}',
    auth: 'local',
    scope: 'admin',
    subject: 'all',
    audit: { action: 'collection.deleted' },
    summary: 'Deletes a collection with its documents.',
    source,
    params: byId,
    reply: Done,
    errors: [404],
  },
  addDocuments: {
    method: 'POST',
    path: '/api/collections/{id}/documents',
    auth: 'local',
    scope: 'run',
    subject: 'rule',
    audit: { action: 'document.added' },
    summary:
      'Stores documents, as JSON or as a form with files, and reads their text afterwards. Needs the scope `admin`, except for documents of a user in a collection with `per_user`. The same name and bytes again are the same document. Other bytes replace the document of that name once they are ready.',
    source,
    params: byId,
    body: DocumentInput,
    maxBodyBytes: 92 * 1024 * 1024,
    fileForm: { body: 'request', fields: DocumentUpload, file: 'file' },
    status: 202,
    reply: z.object({ ok: z.literal(true), documents: z.array(CollectionDocument) }),
    errors: [404, 409],
  },
  listDocuments: {
    method: 'GET',
    path: '/api/collections/{id}/documents',
    auth: 'local',
    scope: 'read',
    subject: 'rule',
    summary: 'Lists the documents of a collection, newest first.',
    source,
    params: byId,
    query: z.object({ ...ofUser, limit: limitParameter(500), cursor: z.optional(PageCursor) }),
    reply: z.object({ documents: z.array(CollectionDocument), next_cursor: z.optional(PageCursor) }),
    errors: [404],
  },
  getDocument: {
    method: 'GET',
    path: '/api/collections/{id}/documents/{document_id}',
    auth: 'local',
    scope: 'read',
    subject: 'rule',
    summary: 'Returns a document, without its text.',
    source,
    params: byDocumentId,
    reply: z.object({ document: CollectionDocument }),
    errors: [404],
  },
  deleteDocument: {
    method: 'DELETE',
    path: '/api/collections/{id}/documents/{document_id}',
    auth: 'local',
    scope: 'run',
    subject: 'rule',
    audit: { action: 'document.deleted', target: '{params.document_id}' },
    summary:
      'Deletes a document. Searches do not find it from then on. Needs the scope `admin`, except for documents of a user in a collection with `per_user`.',
    source,
    params: byDocumentId,
    reply: Done,
    errors: [404],
  },
  searchDocuments: {
    method: 'GET',
    path: '/api/collections/{id}/search',
    auth: 'local',
    scope: 'read',
    subject: 'rule',
    summary:
      'Finds passages of documents by words, and by meaning if there is an embedding model. Best match first.',
    source,
    params: byId,
    query: z.object({
      q: z.string().check(z.minLength(1), z.maxLength(10_000)),
      /** Maximum number of passages, 1 to 50. Default 10. */
      limit: limitParameter(50),
      ...ofUser,
    }),
    reply: z.object({ results: z.array(DocumentSearchResult) }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>
