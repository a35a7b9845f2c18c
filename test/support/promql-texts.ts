const longest = 16_384

/** Pieces of PromQL that a text may repeat. */
export const promqlPieces =
  '{|(|-|+|by(|{a=|"|[|offset |é|{a="b"}|}|)|]|a |1 |a{|sum(|sum by(|a[5m|@|#|\n|\\|`|\'|,|=|!=|and |or |^|1^-|--1|{{|({|rate'
    .split('|')
    .concat('a[1m:1m][1m:', 'start()^', '^#', 'quantile(', 'topk(1,', 'a=~"', '#x\n', 'a and on(')

/**
 * The longest texts of a piece, alone and with others. Each took seconds while the parser recovered from every error, or
 * took time quadratic in its length.
 */
export function hostileTexts(piece: string): string[] {
  return [
    piece.repeat(longest).slice(0, longest),
    ...['{', '1+', '^#', '(a', '@'].flatMap((other) => [
      (piece + other).repeat(longest).slice(0, longest),
      (piece.repeat(longest).slice(0, longest / 2) + other.repeat(longest)).slice(0, longest),
    ]),
  ]
}
