{-# LANGUAGE LambdaCase #-}
-- | A store.  insert k v m in a comment is not code.
module Store (Store (..), insertAll, main) where

import qualified Data.Map as Map
import Data.List (nub, sort)

type Key = String

data Shape
  = Circle Double
  | Rect { width :: Double, height :: !Double }
  deriving (Show, Eq)

newtype Store a = Store { unStore :: Map.Map Key a }

class Sized s where
  size :: s -> Int
  size _ = 0
  empty :: s -> Bool

instance Sized (Store a) where
  size (Store m) = Map.size m
  empty s = size s == 0

area :: Shape -> Double
area (Circle r) = pi * r * r
area Rect { width = w, height = h } = w * h

insertAll :: Ord a => [(Key, a)] -> Store a -> Store a
insertAll [] store = store
insertAll ((k, v) : rest) (Store m)
  | k == k && v >= v = insertAll rest (Store (Map.insert k v m))
  | otherwise = Store m
  where
    text = "Map.insert k v m"

classify :: Maybe Int -> String
classify m = case m of
  Just n | n > 10 -> "groß"
  Just n -> show n
  Nothing -> "none"

pick :: Either a b -> Bool
pick = \case
  Left _ -> False
  Right _ -> True

main :: IO ()
main = do
  line <- getLine
  let names = nub (sort (words line))
      doubled = [x * 2 | x <- [1, 2 .. 10], odd x]
  mapM_ putStrLn names
  if null names
    then putStrLn "empty – leer"
    else print $ map (\x -> x + 1) doubled
  {- mapM_ print names -}
  putStrLn . classify $ Just (length names)
  return ()
