// The one hot loop, in AssemblyScript with SIMD: the product of matrices of memory.js, about ten times as fast.
// C[i, j] += Σ A[i, l] · B[l, j]. Addresses and steps are in bytes; rows of B and C are contiguous.
// `python -m tools.playground kernel` compiles it into kernel.js.
export function product(
  a: i32, aRow: i32, aColumn: i32, b: i32, bRow: i32, c: i32, cRow: i32, m: i32, n: i32, k: i32,
): void {
  let j = 0;
  for (; j + 8 <= n; j += 8) {
    let i = 0;
    for (; i + 4 <= m; i += 4) fourRows(a + i * aRow, aRow, aColumn, b + j * 4, bRow, c + i * cRow + j * 4, cRow, k);
    for (; i < m; i++) oneRow(a + i * aRow, aColumn, b + j * 4, bRow, c + i * cRow + j * 4, k);
  }
  for (; j < n; j++) {
    for (let i = 0; i < m; i++) {
      const at = c + i * cRow + j * 4;
      let sum = load<f32>(at);
      for (let l = 0, p = b + j * 4, q = a + i * aRow; l < k; l++, p += bRow, q += aColumn)
        sum += load<f32>(q) * load<f32>(p);
      store<f32>(at, sum);
    }
  }
}

// Four rows and eight columns of C stay in registers.
// @ts-ignore: decorator
@inline
function fourRows(a: i32, aRow: i32, aColumn: i32, b: i32, bRow: i32, c: i32, cRow: i32, k: i32): void {
  const c1 = c + cRow, c2 = c1 + cRow, c3 = c2 + cRow;
  let s00 = v128.load(c), s01 = v128.load(c, 16), s10 = v128.load(c1), s11 = v128.load(c1, 16);
  let s20 = v128.load(c2), s21 = v128.load(c2, 16), s30 = v128.load(c3), s31 = v128.load(c3, 16);
  const a1 = a + aRow, a2 = a1 + aRow, a3 = a2 + aRow;
  for (let l = 0, p = b, q = 0; l < k; l++, p += bRow, q += aColumn) {
    const left = v128.load(p), right = v128.load(p, 16);
    let x = v128.load32_splat(a + q);
    s00 = f32x4.add(s00, f32x4.mul(x, left)); s01 = f32x4.add(s01, f32x4.mul(x, right));
    x = v128.load32_splat(a1 + q);
    s10 = f32x4.add(s10, f32x4.mul(x, left)); s11 = f32x4.add(s11, f32x4.mul(x, right));
    x = v128.load32_splat(a2 + q);
    s20 = f32x4.add(s20, f32x4.mul(x, left)); s21 = f32x4.add(s21, f32x4.mul(x, right));
    x = v128.load32_splat(a3 + q);
    s30 = f32x4.add(s30, f32x4.mul(x, left)); s31 = f32x4.add(s31, f32x4.mul(x, right));
  }
  v128.store(c, s00); v128.store(c, s01, 16); v128.store(c1, s10); v128.store(c1, s11, 16);
  v128.store(c2, s20); v128.store(c2, s21, 16); v128.store(c3, s30); v128.store(c3, s31, 16);
}

// @ts-ignore: decorator
@inline
function oneRow(a: i32, aColumn: i32, b: i32, bRow: i32, c: i32, k: i32): void {
  let s0 = v128.load(c), s1 = v128.load(c, 16);
  for (let l = 0, p = b, q = a; l < k; l++, p += bRow, q += aColumn) {
    const x = v128.load32_splat(q);
    s0 = f32x4.add(s0, f32x4.mul(x, v128.load(p))); s1 = f32x4.add(s1, f32x4.mul(x, v128.load(p, 16)));
  }
  v128.store(c, s0); v128.store(c, s1, 16);
}
