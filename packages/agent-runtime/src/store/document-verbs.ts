import type { DocumentStore } from './ports/document-store.ts'
import type { VerbOf } from './verbs.ts'

const collectionLocks = (id: string) => ({ alone: [`collection ${id}`] })
const chunkLocks = ({ collectionId }: { readonly collectionId: string }) => ({
  ...collectionLocks(collectionId),
  joint: ['chunks'],
})

/** The methods of documents, in the table `storeVerbs`. */
export const documentVerbs: { readonly [Name in keyof DocumentStore]: VerbOf<DocumentStore[Name]> } = {
  insertCollection: {
    kind: 'write',
    args: 3,
    locks: () => ({ alone: ['collections'] }),
    auditTarget: ({ id }) => id,
  },
  changeCollection: { kind: 'write', args: 3, locks: collectionLocks, auditTarget: (id) => id },
  deleteCollection: { kind: 'write', args: 2, locks: collectionLocks, auditTarget: (id) => id },
  findCollection: { kind: 'read', args: 1 },
  listCollections: { kind: 'read', args: 0 },
  addDocumentPiece: { kind: 'write', args: 1, locks: () => ({}) },
  readDocumentPiece: { kind: 'read', args: 2 },
  insertDocuments: {
    kind: 'write',
    args: 3,
    locks: ([document]) => collectionLocks(document?.collectionId ?? ''),
    auditTarget: ([document]) => document?.collectionId ?? '',
  },
  findDocument: { kind: 'read', args: 2 },
  listDocuments: { kind: 'read', args: 2 },
  deleteDocument: { kind: 'write', args: 3, locks: collectionLocks, auditTarget: (_, id) => id },
  claimDocuments: { kind: 'write', args: 1, locks: () => ({ alone: ['document queue'] }) },
  addDocumentChunks: { kind: 'write', args: 1, locks: chunkLocks },
  finishDocument: { kind: 'write', args: 1, locks: chunkLocks },
  sweepDocuments: { kind: 'write', args: 1, locks: () => ({ alone: ['document sweep'], joint: ['chunks'] }) },
  searchDocuments: { kind: 'read', args: 1 },
}
