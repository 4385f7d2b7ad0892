//! Node kinds as types: the search is compiled for each of them.

/// The kind of a node, known at compile time.
pub(crate) trait NodeKind {
    /// Whether the node is on the principal variation: its window is open.
    const PV: bool;
    /// Whether the node is the root.
    const ROOT: bool;
    /// The kind of a child that is searched with the whole window.
    type Child: NodeKind;
}

/// The root.
pub(crate) struct RootNode;
/// A node of the principal variation below the root.
pub(crate) struct PvNode;
/// Any other node, searched with a null window.
pub(crate) struct NonPvNode;

impl NodeKind for RootNode {
    const PV: bool = true;
    const ROOT: bool = true;
    type Child = PvNode;
}

impl NodeKind for PvNode {
    const PV: bool = true;
    const ROOT: bool = false;
    type Child = Self;
}

impl NodeKind for NonPvNode {
    const PV: bool = false;
    const ROOT: bool = false;
    type Child = Self;
}
