/** Durations in seconds, and how the page and messages write them alike. */
export const durations = [
  [0, '0 s'],
  [40, '40 s'],
  [59.6, '1 min'],
  [65, '1 min'],
  [90, '2 min'],
  [149, '2 min'],
  [150, '3 min'],
  [3599, '1 h'],
  [35_040, '9 h 44 min'],
  [86_399, '1 d'],
  [90_000, '1 d 1 h'],
  [187_200, '2 d 4 h'],
  [2_592_000, '30 d'],
] as const
