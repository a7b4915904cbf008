import type { ArgumentsOf } from '@homeward/kit/sql'
import type { CloudStore } from '../ports/cloud-store.ts'

/** The methods of a store that read and write its tables. */
export type CloudVerbs = Omit<CloudStore, 'subscribe' | 'close'>

/** What the table says of any method. */
export interface CloudVerb {
  /**
   * How it is carried out. `poll` is a read that devices ask for: many at once, and little each. `report` is a write of
   * one statement that decides and writes, about the work whose id is in the first argument.
   */
  readonly kind: 'read' | 'poll' | 'write' | 'report'
  /** How many arguments there are before the signal. */
  readonly args: number
}

type VerbOf<Verb> = CloudVerb & { readonly args: Required<ArgumentsOf<Verb>>['length'] }

/** All that is to be known of the methods of a store: the adapters bind their plans by it. */
export const cloudVerbs: { readonly [Name in keyof CloudVerbs]: VerbOf<CloudVerbs[Name]> } = {
  insertDevice: { kind: 'write', args: 3 },
  findDeviceByKeyHash: { kind: 'poll', args: 2 },
  findDevice: { kind: 'read', args: 2 },
  touchDevices: { kind: 'write', args: 2 },
  listDevices: { kind: 'read', args: 2 },
  deleteDevice: { kind: 'write', args: 3 },
  rotateKey: { kind: 'write', args: 2 },
  retirePreviousKey: { kind: 'write', args: 2 },

  insertSearches: { kind: 'write', args: 4 },
  listPendingSearches: { kind: 'poll', args: 3 },
  settleSearch: { kind: 'report', args: 1 },
  listSearches: { kind: 'read', args: 4 },

  insertUploads: { kind: 'write', args: 4 },
  listPendingUploads: { kind: 'poll', args: 3 },
  leaseUpload: { kind: 'write', args: 1 },
  settleUpload: { kind: 'report', args: 1 },
  // Its entry of the audit has to go with it, so it is a transaction.
  cancelUpload: { kind: 'write', args: 4 },
  listUploads: { kind: 'read', args: 4 },
  findFile: { kind: 'read', args: 2 },
  filterUnusedBlobs: { kind: 'read', args: 1 },

  appendAudit: { kind: 'write', args: 1 },
  listAudit: { kind: 'read', args: 4 },

  countPending: { kind: 'poll', args: 2 },
}
