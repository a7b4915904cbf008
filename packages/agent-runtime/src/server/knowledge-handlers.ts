import type { DocumentUpload } from '@homeward/contract/agent-platform'
import { isForm, validationError, type RequestView } from '@homeward/contract/handler'
import { hasScope, scopeMissing, type PlatformCaller } from './access/platform-caller.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type KnowledgeHandlers = Pick<
  PlatformHandlers,
  | 'createCollection'
  | 'listCollections'
  | 'getCollection'
  | 'updateCollection'
  | 'deleteCollection'
  | 'addDocuments'
  | 'listDocuments'
  | 'getDocument'
  | 'deleteDocument'
  | 'searchDocuments'
>

/** Collections of documents (additions 2, 5). */
export function createKnowledgeHandlers({ services: { collections } }: PlatformContext): KnowledgeHandlers {
  /** Documents of users need the scope `run` only, which the caller has. */
  async function assertMayChange(
    caller: PlatformCaller | undefined,
    id: string,
    userId: string | undefined,
  ): Promise<void> {
    if (!caller || hasScope(caller, 'admin')) return
    if ((await collections.get(id)).per_user && userId !== undefined) return
    throw scopeMissing('admin')
  }

  /** The files of a form, as they arrive. */
  async function uploadForm(id: string, request: RequestView, caller: PlatformCaller | undefined) {
    // before the first byte is stored; whose documents they are may stand behind the files
    await assertMayChange(caller, id, caller?.userId ?? '')
    const { readDocumentForm } = await import('./read-document-form.ts')
    const form = readDocumentForm(request)
    const owner = caller?.userId
    const about = (): DocumentUpload => {
      const given = form.about()
      if (owner !== undefined && given.user_id !== undefined && given.user_id !== owner)
        throw validationError('user_id: must be the user of the token')
      return owner === undefined ? given : { ...given, user_id: owner }
    }
    return collections.upload(id, { files: form.files, about }, request.signal)
  }

  return {
    createCollection: async ({ body }) => ({ ok: true, collection: await collections.create(body) }),
    listCollections: async () => ({ collections: await collections.list() }),
    getCollection: async ({ params }) => ({ collection: await collections.get(params.id) }),
    updateCollection: async ({ params, body }) => ({
      ok: true,
      collection: await collections.update(params.id, body),
    }),
    async deleteCollection({ params }) {
      await collections.delete(params.id)
      return { ok: true }
    },
    async addDocuments({ params, body, caller, request }) {
      if (isForm(request)) return { ok: true, documents: await uploadForm(params.id, request, caller) }
      await assertMayChange(caller, params.id, body.user_id)
      return { ok: true, documents: await collections.add(params.id, body, request.signal) }
    },
    async listDocuments({ params, query: { user_id: userId, limit, cursor } }) {
      const { documents, nextCursor } = await collections.documents(params.id, { userId, limit, cursor })
      return { documents: [...documents], ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
    getDocument: async ({ params }) => ({
      document: await collections.document(params.id, params.document_id),
    }),
    async deleteDocument({ params, caller }) {
      const { user_id: userId } = await collections.document(params.id, params.document_id)
      await assertMayChange(caller, params.id, userId)
      await collections.deleteDocument(params.id, params.document_id)
      return { ok: true }
    },
    async searchDocuments({ params, query: { q, limit, user_id: userId }, request }) {
      return { results: await collections.search(params.id, { q, limit, userId }, request.signal) }
    },
  }
}
