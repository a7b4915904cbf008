import type { ArgumentsOf } from '@homeward/kit/sql'
import type { CloudStore } from '../ports/cloud-store.ts'

/** The methods of a store that read and write its tables. */
export type CloudVerbs = Omit<CloudStore, 'subscribe' | 'publish' | 'scrub' | 'close'>

/** What the table says of any method. */
export interface CloudVerb {
  /**
   * How it is carried out. `poll` is a read that devices ask for: many at once, and little each. `report` is a write of
   * one statement that decides and writes, about the work whose id is in the first argument.
   */
  readonly kind: 'read' | 'poll' | 'write' | 'report'
  /** Whether many calls of it wait for one row: they leave the connections to others. @default false */
  readonly isContended?: true
  /** How many arguments there are before the signal. */
  readonly args: number
}

type VerbOf<Verb> = CloudVerb & { readonly args: Required<ArgumentsOf<Verb>>['length'] }

/** All that is to be known of the methods of a store: the adapters bind their plans by it. */
export const cloudVerbs: { readonly [Name in keyof CloudVerbs]: VerbOf<CloudVerbs[Name]> } = {
  insertDevice: { kind: 'write', args: 3 },
  findDeviceByKeyHash: { kind: 'poll', args: 2 },
  findDevice: { kind: 'read', args: 2 },
  writeHeartbeats: { kind: 'write', args: 2 },
  updateDevice: { kind: 'write', args: 4 },
  listDevices: { kind: 'read', args: 4 },
  countDevices: { kind: 'read', args: 3 },
  deleteDevice: { kind: 'write', args: 3 },
  rotateKey: { kind: 'write', args: 2 },
  retirePreviousKey: { kind: 'write', args: 2 },

  listPresence: { kind: 'read', args: 2 },
  findPresence: { kind: 'read', args: 1 },
  claimOffline: { kind: 'write', args: 1 },
  removePresence: { kind: 'write', args: 1 },

  insertSearches: { kind: 'write', args: 5 },
  listPendingSearches: { kind: 'poll', args: 3 },
  settleSearch: { kind: 'report', args: 1 },
  listSearches: { kind: 'read', args: 4 },
  expireWork: { kind: 'write', args: 2 },

  findGroup: { kind: 'read', args: 3 },
  listGroups: { kind: 'read', args: 4 },
  claimGroup: { kind: 'write', args: 1 },
  extendGroup: { kind: 'write', args: 1 },
  endSearch: { kind: 'write', args: 4 },
  removeGroup: { kind: 'write', args: 3 },
  endSearches: { kind: 'write', args: 3 },
  endGroupSearches: { kind: 'write', args: 3 },
  settleGroups: { kind: 'write', args: 2 },

  insertSavedSearch: { kind: 'write', args: 4 },
  findSavedSearch: { kind: 'read', args: 2 },
  listSavedSearches: { kind: 'read', args: 2 },
  replaceSavedSearch: { kind: 'write', args: 2 },
  deleteSavedSearch: { kind: 'write', args: 3 },
  listDueSavedSearches: { kind: 'read', args: 2 },
  runDueSavedSearch: { kind: 'write', args: 1 },

  insertUploads: { kind: 'write', args: 5 },
  listPendingUploads: { kind: 'poll', args: 3 },
  leaseUpload: { kind: 'write', args: 1 },
  settleUpload: { kind: 'report', args: 1 },
  // Its entry of the audit has to go with it, so it is a transaction.
  cancelUpload: { kind: 'write', args: 4 },
  listUploads: { kind: 'read', args: 4 },
  findFile: { kind: 'read', args: 2 },
  filterUnusedBlobs: { kind: 'read', args: 1 },

  ensureSecret: { kind: 'write', args: 2 },
  enroll: { kind: 'write', args: 3, isContended: true },
  findEnrollment: { kind: 'read', args: 1 },
  findEnrollmentByKey: { kind: 'read', args: 1 },
  findEnrollmentByCode: { kind: 'read', args: 2 },
  countPendingEnrollments: { kind: 'read', args: 2 },
  approveEnrollment: { kind: 'write', args: 2 },
  denyEnrollment: { kind: 'write', args: 2 },
  insertEnrollmentToken: { kind: 'write', args: 4 },
  findEnrollmentToken: { kind: 'read', args: 1 },
  listEnrollmentTokens: { kind: 'read', args: 2 },
  revokeEnrollmentToken: { kind: 'write', args: 2 },

  appendAudit: { kind: 'write', args: 1 },
  listAudit: { kind: 'read', args: 4 },
  listAsked: { kind: 'read', args: 3 },

  insertToken: { kind: 'write', args: 4 },
  findTokenByHash: { kind: 'read', args: 1 },
  listTokens: { kind: 'read', args: 1 },
  touchToken: { kind: 'write', args: 2 },
  deleteToken: { kind: 'write', args: 3 },

  insertWebhook: { kind: 'write', args: 4 },
  findWebhook: { kind: 'read', args: 2 },
  listWebhooks: { kind: 'read', args: 1 },
  updateWebhook: { kind: 'write', args: 5 },
  deleteWebhook: { kind: 'write', args: 3 },
  listDeliveries: { kind: 'read', args: 2 },
  insertDelivery: { kind: 'write', args: 2 },
  listWebhookTypes: { kind: 'read', args: 0 },
  addWebhookEvents: { kind: 'write', args: 1 },
  claimWebhookDeliveries: { kind: 'write', args: 1 },
  recordAttempt: { kind: 'write', args: 1 },
  removeDeliveries: { kind: 'write', args: 1 },
  pruneDeliveries: { kind: 'write', args: 1 },

  pruneResults: { kind: 'write', args: 2 },
  pruneSearches: { kind: 'write', args: 2 },
  pruneUploads: { kind: 'write', args: 2 },
  beginErasure: { kind: 'write', args: 2 },
  removeSome: { kind: 'write', args: 1 },
  hasLeftovers: { kind: 'read', args: 0 },
  isErased: { kind: 'read', args: 1 },
  listBlobRemovals: { kind: 'read', args: 1 },
  confirmBlobRemovals: { kind: 'write', args: 1 },

  readCatalogRevision: { kind: 'read', args: 1 },
  replaceCatalog: { kind: 'write', args: 1 },
  removeCatalog: { kind: 'write', args: 3 },
  pruneCatalogs: { kind: 'write', args: 2 },

  readUsage: { kind: 'read', args: 3 },
  findCreation: { kind: 'read', args: 1 },

  countPending: { kind: 'poll', args: 2 },
}
