/** What to say at a field that was changed here and elsewhere. */
export const changedElsewhere =
  'This was changed elsewhere since you began. Save once more to replace that with what stands here.'

/** What to say of a form with such a field. */
export const changedBySomebodyElse = 'Somebody else has changed the same.'
