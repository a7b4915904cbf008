/** What to say at a field that was changed here and elsewhere. */
export const changedElsewhere =
  'This was changed elsewhere since you started. Save again to overwrite that change.'

/** What to say of a form with such a field. */
export const changedBySomebodyElse = 'Someone else changed the same settings.'
